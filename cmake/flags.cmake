# SPDX-License-Identifier: MIT
# Flags of everything that runs on the host. Guest programs have their own (agent/).
# An interface library and not global flags: guests are built for other machines.
add_library(kerntoll_flags INTERFACE)
target_compile_options(kerntoll_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)
if(KERNTOLL_SANITIZE)
  target_compile_options(kerntoll_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(kerntoll_flags INTERFACE -fsanitize=address,undefined)
endif()

# kerntoll_common_headers(NAME HEADERS <a> ... LINK x y): what nearly every file of a kind includes,
# parsed once. For the tests, the command and the lab; the build of the benchmarks (CMakePresets.json)
# has the lab without, and shows that each of its files includes what it uses.
function(kerntoll_common_headers name)
  cmake_parse_arguments(arg "" "" "HEADERS;LINK" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${arg_LINK} kerntoll_flags)
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# kerntoll_library(NAME SOURCES a.cpp ... LINK x y): one part of the lab.
function(kerntoll_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE kerntoll_flags)
  if(KERNTOLL_COMMON_HEADERS)
    target_precompile_headers(${name} REUSE_FROM kerntoll_headers)
  endif()
endfunction()

# kerntoll_command(NAME): what reads command lines. Their parser is a header of functions that take
# the optimiser longer than all the rest, and nothing there is called in a loop.
function(kerntoll_command name)
  target_compile_options(${name} PRIVATE -O0)
  # Instead of what a part of the lab has (target_precompile_headers() takes no second answer).
  set_target_properties(${name} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM kerntoll_command_headers)
endfunction()
