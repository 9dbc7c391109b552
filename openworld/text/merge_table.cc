#include "openworld/text/merge_table.h"

#include <algorithm>
#include <bit>

namespace openworld {
namespace {

// A pair that may be merged: the token at `at` and the one after it.
struct Candidate {
  std::int32_t rank;
  std::uint32_t at;

  // For a heap with the lowest rank on top, the leftmost first.
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : at > other.at;
  }
};

// The word as a list whose members are unlinked when they merge into the one before.
class Word {
 public:
  Word(const MergeTable& table, std::vector<std::int32_t>* tokens)
      : table_(table), tokens_(*tokens), next_(tokens->size()), before_(tokens->size()) {
    for (std::uint32_t i = 0; i < size(); ++i) {
      next_[i] = i + 1;
      before_[i] = i - 1;
    }
    for (std::uint32_t i = 0; i + 1 < size(); ++i) push(i);
  }

  void merge() {
    while (!heap_.empty()) {
      const std::int32_t rank = heap_.front().rank;
      merged_.clear();
      while (!heap_.empty() && heap_.front().rank == rank) {
        std::pop_heap(heap_.begin(), heap_.end());
        const std::uint32_t at = heap_.back().at;
        heap_.pop_back();
        merge_at(at, rank);
      }
      // Only now, after the sweep, new pairs count.
      for (const std::uint32_t at : merged_) {
        push(at);
        if (at != 0) push(before_[at]);
      }
    }
    std::size_t kept = 0;
    for (std::uint32_t i = 0; i < size(); i = next_[i]) tokens_[kept++] = tokens_[i];
    tokens_.resize(kept);
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(next_.size()); }

  const MergeTable::Entry* pair_at(std::uint32_t at) const {
    if (tokens_[at] == kGone || next_[at] == size()) return nullptr;
    return table_.find(tokens_[at], tokens_[next_[at]]);
  }

  void push(std::uint32_t at) {
    const MergeTable::Entry* entry = pair_at(at);
    if (entry == nullptr) return;
    heap_.push_back({entry->rank, at});
    std::push_heap(heap_.begin(), heap_.end());
  }

  // Merges unless the candidate is out of date: its tokens have merged with others since.
  void merge_at(std::uint32_t at, std::int32_t rank) {
    const MergeTable::Entry* entry = pair_at(at);
    if (entry == nullptr || entry->rank != rank) return;
    const std::uint32_t gone = next_[at];
    tokens_[at] = entry->result;
    tokens_[gone] = kGone;
    next_[at] = next_[gone];
    if (next_[at] != size()) before_[next_[at]] = at;
    merged_.push_back(at);
  }

  static constexpr std::int32_t kGone = -1;

  const MergeTable& table_;
  std::vector<std::int32_t>& tokens_;
  std::vector<std::uint32_t> next_, before_;
  std::vector<Candidate> heap_;
  std::vector<std::uint32_t> merged_;  // where the current sweep merged
};

}  // namespace

MergeTable::MergeTable(const std::vector<Merge>& merges) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * merges.size(), 16));
  slots_.resize(slots);
  shift_ = 64 - std::countr_zero(slots);
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const Merge& merge = merges[rank];
    const std::uint64_t pair = pair_key(merge.left, merge.right);
    std::size_t slot = slot_of(pair);
    while (slots_[slot].pair != kNoPair) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = {pair, static_cast<std::int32_t>(rank), merge.result};
  }
}

std::size_t MergeTable::slot_of(std::uint64_t pair) const {
  return (pair ^ pair >> 29) * 0x9e3779b97f4a7c15 >> shift_;
}

const MergeTable::Entry* MergeTable::find(std::int32_t left, std::int32_t right) const {
  const std::uint64_t pair = pair_key(left, right);
  for (std::size_t slot = slot_of(pair);; slot = (slot + 1) & (slots_.size() - 1)) {
    if (slots_[slot].pair == pair) return &slots_[slot];
    if (slots_[slot].pair == kNoPair) return nullptr;
  }
}

void merge_pairs(const MergeTable& table, std::vector<std::int32_t>* tokens) {
  if (tokens->size() > 1) Word(table, tokens).merge();
}

}  // namespace openworld
