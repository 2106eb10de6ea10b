# loopscope_sanitized: what faces files from outside, and the judges, once more under the address and undefined-behaviour
# sanitizers and with assertions. Tests of those link it in place of the product's libraries (loopscope_test, SANITIZED). Where
# all is built with sanitizers (scripts/sanitize.sh, scripts/fuzz_formats.sh), it is those libraries.
include_guard(GLOBAL)
if(LOOPSCOPE_SANITIZE)
  add_library(loopscope_sanitized INTERFACE)
  target_link_libraries(loopscope_sanitized INTERFACE loopscope_document loopscope_cli_library)
  return()
endif()

# Whole libraries, in place of which these objects are linked. What they need of others is the product's.
set(sources "")
foreach(folder core/base core/ir core/device core/language compiler/run compiler/protocol compiler/gpu app/document)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(APPEND sources ${files})
endforeach()
list(APPEND sources ${PROJECT_SOURCE_DIR}/app/cli/bundle_jobs.cpp ${PROJECT_SOURCE_DIR}/app/cli/results_file.cpp)
add_library(loopscope_sanitized OBJECT EXCLUDE_FROM_ALL ${sources})
target_include_directories(loopscope_sanitized PUBLIC ${PROJECT_SOURCE_DIR})
# What an address or a null pointer shows as well, and uses after a scope, are left to scripts/sanitize.sh: those checks take as long
# to compile as all others together.
set(sanitizers -fsanitize=address,undefined -fno-sanitize-address-use-after-scope -fno-sanitize=null,object-size,pointer-overflow,vptr,nonnull-attribute,returns-nonnull-attribute
    -fno-sanitize-recover=all)
target_compile_options(loopscope_sanitized PUBLIC ${sanitizers} -fno-omit-frame-pointer -g1 -UNDEBUG)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(loopscope_sanitized PUBLIC -Wno-maybe-uninitialized -Wno-error=array-bounds)
endif()
target_link_options(loopscope_sanitized PUBLIC ${sanitizers})
target_link_libraries(loopscope_sanitized PUBLIC loopscope_measure loopscope_lower loopscope_schedule nlohmann_json::nlohmann_json gmpxx
                      PNG::PNG SQLite::SQLite3 Threads::Threads ${CMAKE_DL_LIBS})
loopscope_embed_texts(loopscope_sanitized intrinsic_texts core/language/intrinsic_texts.h ${PROJECT_SOURCE_DIR}/resources/intrinsics
                      loop)
loopscope_units(loopscope_sanitized ${sources})
