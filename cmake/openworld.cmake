# How every target of the project is made: warnings, sanitizers, one library and one test per layer.

# What the tests of a sanitized build run with. The suppressions are for libraries that were not
# instrumented; each says why.
if(OPENWORLD_SANITIZE)
  set(OPENWORLD_SANITIZER_ENVIRONMENT
      "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1"
      "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/sanitizers/leaks.txt:print_suppressions=0"
      "UBSAN_OPTIONS=print_stacktrace=1"
      "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/sanitizers/threads.txt:history_size=4")
endif()

function(openworld_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
  if(OPENWORLD_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${OPENWORLD_SANITIZE}
                                            -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${OPENWORLD_SANITIZE})
  endif()
endfunction()

# The interpreter for scripts of the build and the tests: the one the module is built for, which has
# NumPy; without the module the system's, else the first on the path.
function(openworld_find_python result)
  set(python ${Python_EXECUTABLE})
  if(NOT python)
    find_program(OPENWORLD_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin /usr/local/bin NO_DEFAULT_PATH)
    mark_as_advanced(OPENWORLD_SYSTEM_PYTHON)
    set(python ${OPENWORLD_SYSTEM_PYTHON})
  endif()
  if(NOT python)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(python ${Python3_EXECUTABLE})
  endif()
  set(${result} ${python} PARENT_SCOPE)
endfunction()

# openworld_precompile(openworld_io layer <string> ...): headers that nearly every file of a kind of
# targets includes are parsed once, in the first target of the kind; the others reuse its precompiled header.
# Only with GCC: the fuzzers, which Clang compiles, show where a file lacks an include of its own. Only in optimised
# builds: without optimisation GCC 12 takes arguments of intrinsics after a precompiled header for no constants.
function(openworld_precompile target kind)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$")
    return()
  endif()
  get_property(owner GLOBAL PROPERTY OPENWORLD_PRECOMPILED_${kind})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY OPENWORLD_PRECOMPILED_${kind} ${target})
  endif()
endfunction()

# What layers without libtorch include most. JSON is not among it: it would cost files without JSON more than it
# saves the others.
set(OPENWORLD_COMMON_HEADERS
    <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <optional> <set> <span>
    <string> <string_view> <utility> <vector> <fmt/format.h>)

# openworld_layer(metrics PUBLIC base PRIVATE fmt::fmt): the library openworld_metrics (alias
# openworld::metrics) from every .cc of the current folder and of FOLDERS in it, and, from its *_test.cc and test_util.cc, the program
# openworld_metrics_test, whose cases ctest sees one by one. With GOLDEN the tests read what
# tests/golden/fetch.sh fetched, from the folder OPENWORLD_GOLDEN_DIR; with CHECKPOINTS what
# tests/checkpoints/make_clip.py wrote, from OPENWORLD_CHECKPOINTS_DIR; with ORACLE script.py what that
# script, which ctest runs first, wrote into OPENWORLD_ORACLE_DIR. ENVIRONMENT is set for the tests.
# TEST_SOURCES are further files of the test program, such as the test_util.cc of a lower layer. TORCH is for layers
# with libtorch, whose headers are precompiled then; COLD for layers that read, write and lay out, which gain nothing from
# -O3 and compile in two thirds of the time without it. PRECOMPILE names headers to precompile instead of the usual.
# UNITY is for layers whose files instantiate the same templates of JSON, CLI11 or libtorch: with OPENWORLD_UNITY up to
# 24 of their files are compiled at once, so that names in anonymous namespaces have to differ within the layer.
function(openworld_layer name)
  cmake_parse_arguments(ARG "GOLDEN;CHECKPOINTS;TORCH;COLD;UNITY" "ORACLE" "FOLDERS;PUBLIC;PRIVATE;ENVIRONMENT;TEST_SOURCES;PRECOMPILE" ${ARGN})
  set(patterns *.cc)
  foreach(folder IN LISTS ARG_FOLDERS)
    list(APPEND patterns ${folder}/*.cc)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/test_util)\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  list(FILTER tests INCLUDE REGEX "(_test|/test_util)\\.cc$")

  set(target openworld_${name})
  add_library(${target} STATIC ${sources})
  add_library(openworld::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  openworld_options(${target})
  if(ARG_COLD)
    target_compile_options(${target} PRIVATE -O1)
  endif()
  if(ARG_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${OPENWORLD_UNITY} UNITY_BUILD_BATCH_SIZE 24)
  endif()
  if(ARG_PRECOMPILE)
    openworld_precompile(${target} ${name} ${ARG_PRECOMPILE})
  elseif(ARG_TORCH)
    openworld_precompile(${target} torch ${PROJECT_SOURCE_DIR}/openworld/vlm/pch.h)
  else()
    openworld_precompile(${target} layer ${OPENWORLD_COMMON_HEADERS})
  endif()

  if(OPENWORLD_TESTS AND tests)
    add_executable(${target}_test ${tests} ${ARG_TEST_SOURCES})
    target_link_libraries(${target}_test PRIVATE ${target} ${ARG_PRIVATE} GTest::gtest_main)
    # Of the files, not of the target, so that others can reuse its precompiled header.
    set_property(SOURCE ${tests} ${ARG_TEST_SOURCES} APPEND PROPERTY COMPILE_DEFINITIONS
                 OPENWORLD_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    openworld_options(${target}_test)
    # What is tested is optimised; the tests themselves only take longer to compile.
    target_compile_options(${target}_test PRIVATE -O1)
    if(ARG_TORCH)
      openworld_precompile(${target}_test torch_test ${PROJECT_SOURCE_DIR}/openworld/vlm/pch.h
                           <gtest/gtest.h>)
    else()
      openworld_precompile(${target}_test layer_test ${OPENWORLD_COMMON_HEADERS} <gtest/gtest.h>)
    endif()
    set(fixtures "")
    foreach(fixture GOLDEN CHECKPOINTS)
      if(ARG_${fixture})
        string(TOLOWER ${fixture} folder)
        set_property(SOURCE ${tests} APPEND PROPERTY COMPILE_DEFINITIONS
                     OPENWORLD_${fixture}_DIR="${PROJECT_BINARY_DIR}/${folder}")
        list(APPEND fixtures ${folder})
      endif()
    endforeach()
    if(ARG_ORACLE)
      set(oracle ${CMAKE_CURRENT_BINARY_DIR}/oracle)
      openworld_find_python(python)
      add_test(NAME ${name}.oracle
               COMMAND ${python} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_ORACLE} ${oracle})
      set_tests_properties(${name}.oracle PROPERTIES FIXTURES_SETUP ${name}_oracle TIMEOUT 600)
      set_property(SOURCE ${tests} APPEND PROPERTY COMPILE_DEFINITIONS
                   OPENWORLD_ORACLE_DIR="${oracle}")
      list(APPEND fixtures ${name}_oracle)
    endif()
    if(OPENWORLD_SANITIZE)
      # One process: under a sanitizer libtorch takes seconds to load, and there are hundreds of cases.
      add_test(NAME ${name}.tests COMMAND ${target}_test --gtest_brief=1)
      set_tests_properties(${name}.tests PROPERTIES TIMEOUT 3600 FIXTURES_REQUIRED "${fixtures}"
                           ENVIRONMENT "${ARG_ENVIRONMENT};${OPENWORLD_SANITIZER_ENVIRONMENT}")
      return()
    endif()
    include(GoogleTest)
    gtest_discover_tests(${target}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         TEST_LIST ${target}_cases)
    # Properties that are lists do not survive gtest_discover_tests, so they are set when ctest reads the cases.
    set(properties ${CMAKE_CURRENT_BINARY_DIR}/${target}_properties.cmake)
    file(WRITE ${properties}
         "foreach(case IN LISTS ${target}_cases)\n"
         "  set_tests_properties(\"\${case}\" PROPERTIES TIMEOUT 600\n"
         "    FIXTURES_REQUIRED \"${fixtures}\" ENVIRONMENT \"${ARG_ENVIRONMENT}\")\n"
         "endforeach()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
  endif()
endfunction()
