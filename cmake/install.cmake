# `cmake --install` and find_package(openworld): headers, static libraries, the command, and CMake
# config files with targets openworld::base, ::stats, ::metrics, ::analysis, ::io, ::predictions, ::openset, ::checkpoint, ::worlds, ::runs, ::report.

include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/openworld)

install(TARGETS openworld_base openworld_stats openworld_metrics openworld_analysis openworld_io
                openworld_predictions openworld_openset openworld_detection openworld_checkpoint
                openworld_worlds openworld_runs openworld_report
        EXPORT openworld ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS openworld RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/openworld)
install(EXPORT openworld NAMESPACE openworld:: DESTINATION ${config_dir} FILE openworldTargets.cmake)

foreach(layer base stats metrics analysis io predictions openset detection checkpoint worlds runs report)
  install(DIRECTORY openworld/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/openworld
          FILES_MATCHING PATTERN "*.h" REGEX "(test_[a-z_]*|_test_util|expect_relative)\\.h$" EXCLUDE PATTERN "testdata" EXCLUDE)
endforeach()
# The description of a model holds one, a drawing is the other; the rest of that layer needs the codecs.
install(FILES openworld/images/preprocessing.h openworld/images/image.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/openworld/images)
install(FILES ${PROJECT_BINARY_DIR}/generated/openworld/base/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/openworld/base)

configure_package_config_file(cmake/openworldConfig.cmake.in openworldConfig.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(openworldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/openworldConfig.cmake
              ${PROJECT_BINARY_DIR}/openworldConfigVersion.cmake
        DESTINATION ${config_dir})
