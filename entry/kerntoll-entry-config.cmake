# SPDX-License-Identifier: MIT
# find_package(kerntoll-entry): for each port a target kerntoll::entry-<port> that brings the headers,
# the stub (so enable_language(ASM)), the flags without which that port does not work, and the folder
# of kerntoll/entry/text.ld for the linker. Choices are macros of the kernel's own target, for both
# languages: target_compile_definitions(kernel PRIVATE KERNTOLL_frame_lazy=1).
get_filename_component(_kerntoll_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
set(_kerntoll_data ${_kerntoll_prefix}/share/kerntoll-entry)
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
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-pic;-fno-stack-protector;-fno-threadsafe-statics;-fno-asynchronous-unwind-tables>")
endforeach()
