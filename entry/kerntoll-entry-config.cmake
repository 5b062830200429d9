# SPDX-License-Identifier: MIT
# find_package(kerntoll-entry): for each port a target kerntoll::entry-<port> that brings the headers,
# the stub (so enable_language(ASM)), the flags without which that port does not work, and the folder
# of kerntoll/entry/text.ld for the linker. Choices are macros of the kernel's own target, for both
# languages; kerntoll_entry_policy() makes them from axes and values.
if(CMAKE_VERSION VERSION_LESS 3.17)
  message(FATAL_ERROR "kerntoll-entry needs CMake 3.17 or newer, and this is ${CMAKE_VERSION}")
endif()
get_filename_component(_kerntoll_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
set(_kerntoll_data ${_kerntoll_prefix}/share/kerntoll-entry)

# Every choice of policy.def, as axis=spelling=identifier.
function(_kerntoll_entry_choices result)
  get_filename_component(prefix ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../.. ABSOLUTE)
  file(READ ${prefix}/include/kerntoll/entry/policy.def text)
  string(REGEX MATCHALL
    "#define KERNTOLL_[A-Z]+\\(VALUE|VALUE\\(x, [a-z_]+, \"[a-z_]+\"|KERNTOLL_AXIS\\([a-z_]+, [A-Za-z]+, KERNTOLL_[A-Z]+"
    rows "${text}")
  set(choices)
  foreach(row IN LISTS rows)
    if(row MATCHES "^#define (KERNTOLL_[A-Z]+)")
      set(values ${CMAKE_MATCH_1})
    elseif(row MATCHES "^VALUE\\(x, ([a-z_]+), \"([a-z_]+)\"")
      list(APPEND of_${values} ${CMAKE_MATCH_2}=${CMAKE_MATCH_1})
    elseif(row MATCHES "^KERNTOLL_AXIS\\(([a-z_]+), [A-Za-z]+, (KERNTOLL_[A-Z]+)")
      list(TRANSFORM of_${CMAKE_MATCH_2} PREPEND ${CMAKE_MATCH_1}= OUTPUT_VARIABLE of_axis)
      list(APPEND choices ${of_axis})
    endif()
  endforeach()
  set(${result} ${choices} PARENT_SCOPE)
endfunction()

# kerntoll_entry_policy(TARGET AXIS=VALUE...): the choices of a kernel's target, which it compiles the
# entry path by; what is not named keeps its default. A name that there is not is an error.
function(kerntoll_entry_policy target)
  _kerntoll_entry_choices(choices)
  foreach(wanted IN LISTS ARGN)
    if(NOT wanted MATCHES "^([^=]+)=(.+)$")
      message(FATAL_ERROR "kerntoll_entry_policy: ${wanted} is no choice; write AXIS=VALUE")
    endif()
    set(axis ${CMAKE_MATCH_1})
    set(value ${CMAKE_MATCH_2})
    set(axes "")
    set(values "")
    set(identifier "")
    foreach(choice IN LISTS choices)
      string(REPLACE "=" ";" choice ${choice})
      list(GET choice 0 known_axis)
      list(GET choice 1 known_value)
      list(APPEND axes ${known_axis})
      if(known_axis STREQUAL axis)
        list(APPEND values ${known_value})
        if(known_value STREQUAL value)
          list(GET choice 2 identifier)
        endif()
      endif()
    endforeach()
    if(values STREQUAL "")
      list(REMOVE_DUPLICATES axes)
      list(JOIN axes " " axes)
      message(FATAL_ERROR "kerntoll_entry_policy: there is no axis ${axis}; there are: ${axes}")
    elseif(identifier STREQUAL "")  # NOT would take "off" for an answer
      list(JOIN values " " values)
      message(FATAL_ERROR "kerntoll_entry_policy: ${axis} is one of: ${values}; not ${value}")
    endif()
    target_compile_definitions(${target} PRIVATE KERNTOLL_${axis}_${identifier}=1)
  endforeach()
endfunction()

# Definitions of a target that look like choices and are none: policy.hpp makes an error of them.
_kerntoll_entry_choices(_kerntoll_known)
list(TRANSFORM _kerntoll_known REPLACE "=.*=" "_")
list(JOIN _kerntoll_known "|" _kerntoll_known)
set(_kerntoll_unknown $<FILTER:$<TARGET_PROPERTY:COMPILE_DEFINITIONS>,INCLUDE,^KERNTOLL_>)
set(_kerntoll_unknown
  "$<FILTER:${_kerntoll_unknown},EXCLUDE,^KERNTOLL_(${_kerntoll_known}|ENTRY_STACK_SHIFT)(=|$)>")
file(GLOB _kerntoll_ports RELATIVE ${_kerntoll_data} ${_kerntoll_data}/*/flags)
foreach(_kerntoll_port IN LISTS _kerntoll_ports)
  get_filename_component(_kerntoll_port ${_kerntoll_port} DIRECTORY)
  set(_kerntoll_target kerntoll::entry-${_kerntoll_port})
  if(TARGET ${_kerntoll_target})
    continue()
  endif()
  add_library(${_kerntoll_target} INTERFACE IMPORTED)
  target_include_directories(${_kerntoll_target} INTERFACE
    ${_kerntoll_prefix}/include ${_kerntoll_data}/${_kerntoll_port})
  target_sources(${_kerntoll_target} INTERFACE ${_kerntoll_data}/${_kerntoll_port}/stub.S)
  target_compile_features(${_kerntoll_target} INTERFACE cxx_std_20)
  target_link_options(${_kerntoll_target} INTERFACE -L${_kerntoll_prefix}/include)
  # Rows of the file: for whom, flag, reason.
  file(STRINGS ${_kerntoll_data}/${_kerntoll_port}/flags _kerntoll_rows
    REGEX "^(both|cxx|clang|gcc|[a-z_]+=[a-z]+) +-")
  foreach(_kerntoll_row IN LISTS _kerntoll_rows)
    string(REGEX MATCH "^([^ ]+) +([^ ]+)" _kerntoll_row "${_kerntoll_row}")
    set(_kerntoll_for ${CMAKE_MATCH_1})
    set(_kerntoll_flag ${CMAKE_MATCH_2})
    if(_kerntoll_for STREQUAL "cxx")
      set(_kerntoll_flag $<$<COMPILE_LANGUAGE:CXX>:${_kerntoll_flag}>)
    elseif(_kerntoll_for STREQUAL "clang")
      set(_kerntoll_flag $<$<CXX_COMPILER_ID:Clang>:${_kerntoll_flag}>)
    elseif(_kerntoll_for STREQUAL "gcc")
      set(_kerntoll_flag $<$<CXX_COMPILER_ID:GNU>:${_kerntoll_flag}>)
    elseif(_kerntoll_for MATCHES "^(.*)=(.*)$")
      # Of a choice that the kernel's target makes by its macro; off is what is not chosen.
      set(_kerntoll_on
        $<OR:$<IN_LIST:KERNTOLL_${CMAKE_MATCH_1}_on=1,$<TARGET_PROPERTY:COMPILE_DEFINITIONS>>,$<IN_LIST:KERNTOLL_${CMAKE_MATCH_1}_on,$<TARGET_PROPERTY:COMPILE_DEFINITIONS>>>)
      if(CMAKE_MATCH_2 STREQUAL "off")
        set(_kerntoll_on $<NOT:${_kerntoll_on}>)
      endif()
      set(_kerntoll_flag $<${_kerntoll_on}:${_kerntoll_flag}>)
    endif()
    target_compile_options(${_kerntoll_target} INTERFACE ${_kerntoll_flag})
  endforeach()
  target_compile_options(${_kerntoll_target} INTERFACE -ffreestanding -ffunction-sections
    "$<$<BOOL:${_kerntoll_unknown}>:-DKERNTOLL_NO_SUCH_CHOICE=\"$<JOIN:${_kerntoll_unknown}, >\">"
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-pic;-fno-stack-protector;-fno-threadsafe-statics;-fno-asynchronous-unwind-tables>")
endforeach()
