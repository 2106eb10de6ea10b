# loopscope_library(NAME FOLDER [LINK target...]): a static library of every source in FOLDER.
# Files are found by glob, so that adding a directive, a pass or a model is adding a file.
function(loopscope_library NAME FOLDER)
  cmake_parse_arguments(ARG "QT" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER}/*.h)
  add_library(${NAME} STATIC ${sources})
  target_include_directories(${NAME} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${NAME} PUBLIC ${ARG_LINK})
  loopscope_units(${NAME} 16 ${sources})
  if(ARG_QT)
    set_target_properties(${NAME} PROPERTIES AUTOMOC ON)
  endif()
endfunction()

# loopscope_test(NAME FOLDER [QT] [LINK target...]): one GoogleTest program of every source in FOLDER.
function(loopscope_test NAME FOLDER)
  cmake_parse_arguments(ARG "QT" "TIMEOUT" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER}/*.h)
  add_executable(${NAME} ${sources})
  target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${NAME} PRIVATE ${ARG_LINK} loopscope_test_support)
  loopscope_units(${NAME} 12 ${sources})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A fixture in an anonymous namespace is of its file, which GCC takes for the file that a unit includes.
    target_compile_options(${NAME} PRIVATE -Wno-subobject-linkage)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Release") # tests run once: optimising them takes longer than it saves
    target_compile_options(${NAME} PRIVATE -O1)
  endif()
  target_compile_definitions(${NAME} PRIVATE LOOPSCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             LOOPSCOPE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(ARG_QT)
    set_target_properties(${NAME} PROPERTIES AUTOMOC ON)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  if(LOOPSCOPE_SANITIZE) # several times slower
    math(EXPR ARG_TIMEOUT "4 * ${ARG_TIMEOUT}")
  endif()
  add_test(NAME ${NAME} COMMAND ${NAME})
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT
                       "QT_QPA_PLATFORM=offscreen;LOOPSCOPE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endfunction()

# loopscope_calls_made_code(FILE...): sources that call functions which no compiler of ours made. Clang's sanitizer asks for its
# own mark before each function that is called by a pointer, which those lack.
function(loopscope_calls_made_code)
  if(LOOPSCOPE_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-sanitize=function)
  endif()
endfunction()
