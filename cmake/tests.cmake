# SPDX-License-Identifier: MIT
include(GoogleTest)

# kerntoll_test(NAME SOURCES a.cpp ... LINK x y [TIMEOUT s] [SERIAL]): one GoogleTest program; every
# test in it is a ctest test of its own. SERIAL: measures time or fills the machine, so runs alone.
function(kerntoll_test name)
  cmake_parse_arguments(arg "SERIAL" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} kerntoll_flags GTest::gmock GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM kerntoll_test_headers)
  target_compile_options(${name} PRIVATE -O0)  # what is tested is optimised, the tests need not be
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT})
  if(arg_SERIAL)
    list(APPEND properties RUN_SERIAL ON)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES ${properties})
endfunction()
