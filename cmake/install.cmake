# `cmake --install` and find_package(openworld): the command, static libraries, the public headers, and CMake config
# files. Two sets of targets: what needs no libtorch, and, found by find_package(openworld COMPONENTS models), what
# runs models. docs/cpp.md is for users of the package.

include(CMakePackageConfigHelpers)
include(cmake/public_headers.cmake)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/openworld)

# openworld_install_layers(openworld LAYERS base io HEADERS openworld/io/npy.h): the libraries of layers as an export
# set, and headers.
function(openworld_install_layers export)
  cmake_parse_arguments(ARG "" "" "LAYERS;HEADERS" ${ARGN})
  list(TRANSFORM ARG_LAYERS PREPEND openworld_)
  install(TARGETS ${ARG_LAYERS} EXPORT ${export} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${export} NAMESPACE openworld:: DESTINATION ${config_dir} FILE ${export}Targets.cmake)
  foreach(header IN LISTS ARG_HEADERS)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  endforeach()
endfunction()

openworld_install_layers(openworld HEADERS ${OPENWORLD_PUBLIC_HEADERS}
                         LAYERS base stats metrics analysis io predictions openset detection checkpoint
                                worlds scenarios runs studies report)
if(TARGET openworld_tuning)
  openworld_install_layers(openworld_models HEADERS ${OPENWORLD_MODEL_HEADERS}
                           LAYERS images text vlm learners tuning)
endif()
install(FILES ${PROJECT_BINARY_DIR}/generated/openworld/base/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/openworld/base)
install(TARGETS openworld RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/openworld)

configure_package_config_file(cmake/openworldConfig.cmake.in openworldConfig.cmake
                              INSTALL_DESTINATION ${config_dir}
                              PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(openworldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/openworldConfig.cmake
              ${PROJECT_BINARY_DIR}/openworldConfigVersion.cmake
        DESTINATION ${config_dir})
