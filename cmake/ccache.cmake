# Compiles through ccache where it is installed, with what precompiled headers need. Objects of one checkout serve
# another one, too: paths below the source folder count as relative.
find_program(OPENWORLD_CCACHE_PROGRAM ccache)
mark_as_advanced(OPENWORLD_CCACHE_PROGRAM)
if(OPENWORLD_CCACHE AND OPENWORLD_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${OPENWORLD_CCACHE_PROGRAM})
endif()
