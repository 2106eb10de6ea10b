# loopscope_embed_texts(TARGET FUNCTION HEADER FOLDER ENDING): makes a source of TARGET that defines FUNCTION, as HEADER declares
# it, from the texts of FOLDER, by name. Texts of any length that literals allow; a changed or new file makes it anew.
function(loopscope_embed_texts TARGET FUNCTION HEADER FOLDER ENDING)
  file(GLOB files CONFIGURE_DEPENDS ${FOLDER}/*.${ENDING})
  list(SORT files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(rows "")
  foreach(file ${files})
    file(READ ${file} text)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND rows "    {\"${name}\", R\"text(${text})text\"},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${FUNCTION}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"#include \"${HEADER}\"

namespace loopscope {

std::span<const EmbeddedText> ${FUNCTION}() {
  static constexpr EmbeddedText texts[] = {
${rows}  };
  return texts;
}

} // namespace loopscope
")
  target_sources(${TARGET} PRIVATE ${source})
endfunction()
