#pragma once

// Lease: the right to compute something in a folder that several machines share, which expires when
// its owner stops renewing it.
//
// A lease is a file. It appears under its name at once and complete (link()), so exactly one claim
// succeeds; it holds who owns it, and its mtime is renewed while the owner lives. A lease that was
// not renewed for kStaleAfter, by the clock of the folder, is stale and may be taken over, so a
// killed owner locks nobody out. So may at once a lease whose owner ran on this very machine (the
// same boot) and has ended. Locks of the kernel are not used: they are unreliable on network file
// systems.
//
// Two owners at a time are possible after a machine was suspended for longer than kStaleAfter. What
// is computed under a lease must therefore have the same bits whoever computes it, and be put in
// place by rename. An owner finds that it lost its lease by still_held().

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "openworld/io/folder_clock.h"

namespace openworld {

// Who owns a lease.
struct LeaseOwner {
  std::string host;
  std::int64_t pid = 0;
  std::string boot;          // id of this boot of the machine; empty where the system does not say
  std::string processes;     // the namespace that the pid is of
  std::int64_t started = 0;  // when the process began, in ticks since the boot
  std::string slurm_job, slurm_array_job, slurm_array_task;  // empty outside of Slurm

  bool operator==(const LeaseOwner&) const = default;
};

// This process.
LeaseOwner this_owner();

// "process 123 on host x", with its Slurm job.
std::string owner_text(const LeaseOwner& owner);

// Whether the process is known to have ended: only of this machine and this boot.
bool has_ended(const LeaseOwner& owner);

inline constexpr std::chrono::seconds kRenewEvery(30);
inline constexpr std::chrono::seconds kStaleAfter(300);

// What is there under the name of a lease.
struct LeaseState {
  LeaseOwner owner;  // empty fields where the file is damaged
  double age = 0;    // seconds since it was renewed
  bool stale = false;
};

// None if there is no lease.
std::optional<LeaseState> look_at_lease(const std::string& path, FolderClock& clock);

// Removes what killed claims left half-made in a folder of leases.
void remove_half_made_leases(const std::string& folder, FolderClock& clock);

// Whether a file name in a folder of leases is one of those.
bool is_half_made_lease(std::string_view name);

class Lease {
 public:
  // Claims `path`, in a folder that exists; takes over a stale lease. None if somebody has it.
  // Throws Error as [function] if the folder cannot be written.
  static std::optional<Lease> claim(const std::string& path, FolderClock& clock,
                                    std::string_view function);
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();  // releases it

  const std::string& path() const { return path_; }

  // Whether it was a stale one of somebody else before.
  bool taken_over() const { return taken_over_; }

  // Sets its mtime to now, by the clock of the folder. False if it is not ours any more.
  bool renew() const;

  // Whether the file is still ours.
  bool still_held() const;

  void release();

 private:
  Lease(std::string path, std::string text, bool taken_over)
      : path_(std::move(path)), text_(std::move(text)), taken_over_(taken_over) {}

  std::string path_;  // empty once released
  std::string text_;  // of the file, with a random number: inodes are used again
  bool taken_over_ = false;
};

}  // namespace openworld
