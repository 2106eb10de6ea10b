# Translation units of several sources. More than half of the time of compiling one of our small files alone goes into headers,
# which the files of a unit read once: so a folder compiles in a third of the time. What that asks of sources: no two files of
# one library define different things by one name at namespace scope, not even without linkage. Such helpers belong into one place.

option(LOOPSCOPE_UNITS "Compile sources in units of several files; off: each alone, as the preset `alone` has it" ON)

# loopscope_units(TARGET FILE...): compiles the files of each folder in units of 20 files at the most, on average.
# A file's unit follows from its name alone: a new file changes one unit, and where they become too large each is halved. So
# nobody's new file brings two others together.
function(loopscope_units TARGET)
  if(NOT LOOPSCOPE_UNITS)
    return()
  endif()
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(folders "")
  foreach(source ${ARGN})
    if(source MATCHES "\\.cpp$")
      cmake_path(GET source PARENT_PATH folder)
      list(APPEND folders ${folder})
      list(APPEND files_of_${folder} ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(LENGTH files_of_${folder} count)
    set(units 1)
    while(count GREATER 20)
      math(EXPR units "${units} * 2")
      math(EXPR count "${count} / 2")
    endwhile()
    cmake_path(GET folder FILENAME name)
    foreach(source ${files_of_${folder}})
      cmake_path(GET source FILENAME file)
      string(MD5 digest ${file})
      string(SUBSTRING ${digest} 0 4 digits)
      math(EXPR unit "0x${digits} & (${units} - 1)")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${unit})
    endforeach()
  endforeach()
endfunction()
