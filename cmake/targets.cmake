# loopscope_library(NAME FOLDER [QT] [HOT] [LINK target...]): a static library of every source in FOLDER.
# Files are found by glob, so that adding a directive, a pass or a model is adding a file.
#   HOT   people wait for this code, not for what it calls: interpreters, legality, models
function(loopscope_library NAME FOLDER)
  cmake_parse_arguments(ARG "QT;HOT" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER}/*.h)
  add_library(${NAME} STATIC ${sources})
  target_include_directories(${NAME} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${NAME} PUBLIC ${ARG_LINK})
  loopscope_units(${NAME} ${sources})
  if(ARG_HOT AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${NAME} PRIVATE -O2)
  endif()
  if(ARG_QT)
    set_target_properties(${NAME} PROPERTIES AUTOMOC ON)
  endif()
endfunction()

# loopscope_test(NAME FOLDER [QT] [COMPUTES] [WAITS] [SANITIZED | SANITIZED_TOO filter] [SHARDS n] [TIMEOUT seconds] [OF folder...] LINK target...): one GoogleTest
# program of every source in FOLDER.
#   COMPUTES it is optimised as the product is, for its own code takes long, or the product's: of templates that both use the
#            linker takes the test's. To compile others so would take longer than it gains
#   WAITS    more than it computes, for other processes: two of them share the place of one
#   SANITIZED links loopscope_sanitized (cmake/sanitized.cmake)
#   SANITIZED_TOO a second program, NAME_sanitized, does so; of its tests GoogleTest's filter leaves out what would take minutes.
#            Not for `./test.sh FOLDER`: what it tests would be compiled twice
#   SHARDS   how many processes share its tests, where one alone would end long after all others
#   OF       the folders of sources that it tests, for `./test.sh FOLDER`
function(loopscope_test NAME FOLDER)
  cmake_parse_arguments(ARG "QT;COMPUTES;WAITS;SANITIZED" "TIMEOUT;SHARDS;SANITIZED_TOO" "LINK;OF" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER}/*.h)
  add_executable(${NAME} ${sources})
  target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${NAME} PRIVATE ${ARG_LINK} loopscope_test_support)
  loopscope_units(${NAME} ${sources})
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT ARG_COMPUTES)
    target_compile_options(${NAME} PRIVATE -O0)
    if(NOT ARG_SANITIZED AND NOT ARG_QT) # which are compiled otherwise
      loopscope_share_test_headers(${NAME})
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A fixture in an anonymous namespace is of its file, which GCC takes for the file that a unit includes.
    target_compile_options(${NAME} PRIVATE -Wno-subobject-linkage)
  endif()
  if(ARG_QT)
    set_target_properties(${NAME} PROPERTIES AUTOMOC ON)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  if(ARG_SANITIZED)
    target_link_libraries(${NAME} PRIVATE loopscope_sanitized)
  endif()
  if(LOOPSCOPE_SANITIZE OR ARG_SANITIZED) # several times slower
    math(EXPR ARG_TIMEOUT "4 * ${ARG_TIMEOUT}")
  endif()
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  set(places 2) # of those that ctest has, two a core (scripts/common.sh)
  if(ARG_WAITS)
    set(places 1)
  endif()
  math(EXPR last "${ARG_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(test ${NAME})
    if(ARG_SHARDS GREATER 1)
      math(EXPR number "${shard} + 1")
      set(test ${NAME}.${number})
    endif()
    add_test(NAME ${test} COMMAND ${NAME})
    # Those that may take longest begin first, so that no core waits for one at the end.
    set_tests_properties(${test} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT} PROCESSORS ${places} LABELS "${NAME};tests/${FOLDER};${ARG_OF}" ENVIRONMENT
      "QT_QPA_PLATFORM=offscreen;LOOPSCOPE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard};GTEST_OUTPUT=json:${PROJECT_BINARY_DIR}/Testing/times/${test}.json")
  endforeach()
  if(ARG_SANITIZED_TOO AND NOT LOOPSCOPE_SANITIZE)
    set(twin ${NAME}_sanitized)
    add_executable(${twin} $<TARGET_OBJECTS:${NAME}>)
    target_link_libraries(${twin} PRIVATE loopscope_sanitized loopscope_test_support GTest::gtest_main)
    add_test(NAME ${twin} COMMAND ${twin})
    set_tests_properties(${twin} PROPERTIES TIMEOUT ${ARG_TIMEOUT} PROCESSORS 2 LABELS "${twin};tests/${FOLDER};${ARG_OF}" ENVIRONMENT
      "LOOPSCOPE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};GTEST_FILTER=${ARG_SANITIZED_TOO};GTEST_OUTPUT=json:${PROJECT_BINARY_DIR}/Testing/times/${twin}.json")
  endif()
  foreach(folder tests/${FOLDER} ${ARG_OF})
    file(APPEND ${PROJECT_BINARY_DIR}/test_programs.txt "${folder} ${NAME}\n")
  endforeach()
endfunction()

# loopscope_share_test_headers(TARGET): GoogleTest's headers, and those of the standard library that most tests include, are
# compiled once for all that are compiled as TARGET is, not optimised: they are a tenth of what a unit of tests takes.
function(loopscope_share_test_headers TARGET)
  if(NOT TARGET loopscope_test_headers)
    add_executable(loopscope_test_headers EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/headers.cpp)
    target_compile_options(loopscope_test_headers PRIVATE -O0)
    target_link_libraries(loopscope_test_headers PRIVATE GTest::gtest GTest::gmock)
    target_precompile_headers(loopscope_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <filesystem> <fstream> <functional>
                              <map> <memory> <optional> <set> <sstream> <string> <variant> <vector>)
  endif()
  target_precompile_headers(${TARGET} REUSE_FROM loopscope_test_headers)
endfunction()

# loopscope_calls_made_code(FILE...): sources that call functions which no compiler of ours made. Clang's sanitizer asks for its
# own mark before each function that is called by a pointer, which those lack.
function(loopscope_calls_made_code)
  if(LOOPSCOPE_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-sanitize=function)
  endif()
endfunction()
