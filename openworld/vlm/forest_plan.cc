#include "openworld/vlm/forest_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace openworld {
namespace {

using Node = TextForest::Node;

// The forest as one stage sees it: nodes whose paths differ only in later deep rows are one.
struct StageTree {
  std::vector<std::int32_t> parent;                 // -1 at a root; parents come first
  std::vector<std::vector<std::int32_t>> children;  // by first appearance
  std::vector<Node> node;                           // one of the forest's nodes it stands for
  std::vector<char> live;
  std::vector<std::int32_t> of_node;  // per node of the forest; -1 if it is not needed
};

std::vector<char> needed_nodes(const TextForest& forest, std::span<const std::size_t> readouts) {
  std::vector<char> needed(forest.nodes(), 0);
  for (const std::size_t i : readouts) {
    for (Node n = forest.readouts()[i]; n != TextForest::kRoot && !needed[n];
         n = forest.parent(n)) {
      needed[n] = 1;
    }
  }
  return needed;
}

// `row` as it is known before the blocks after `block` run.
PromptRow up_to(PromptRow row, std::int32_t block) {
  std::erase_if(row.deep, [block](const DeepRow& deep) { return deep.block > block; });
  return row;
}

StageTree merge_nodes(const TextForest& forest, std::span<const char> needed, std::int32_t block,
                      bool all_live) {
  StageTree tree;
  tree.of_node.assign(forest.nodes(), -1);
  std::map<std::pair<std::int32_t, PromptRow>, std::int32_t> index;
  for (Node n = 0; n < static_cast<Node>(forest.nodes()); ++n) {
    if (!needed[n]) continue;
    const Node above = forest.parent(n);
    const std::int32_t parent = above == TextForest::kRoot ? -1 : tree.of_node[above];
    const PromptRow row = up_to(forest.row(n), block);
    const auto id = static_cast<std::int32_t>(tree.parent.size());
    const auto [found, is_new] = index.try_emplace({parent, row}, id);
    tree.of_node[n] = found->second;
    if (!is_new) continue;
    const bool learns = all_live || row.learnable >= 0 || !row.deep.empty();
    tree.parent.push_back(parent);
    tree.children.emplace_back();
    tree.node.push_back(n);
    tree.live.push_back(learns || (parent >= 0 && tree.live[parent]));
    if (parent >= 0) tree.children[parent].push_back(id);
  }
  return tree;
}

// The tree's nodes depth first, frozen ones before live ones.
std::vector<std::int32_t> row_order(const StageTree& tree) {
  const auto count = static_cast<std::int32_t>(tree.parent.size());
  std::vector<std::int32_t> depth_first;
  std::vector<std::int32_t> pending;
  for (std::int32_t n = count - 1; n >= 0; --n) {
    if (tree.parent[n] < 0) pending.push_back(n);
  }
  while (!pending.empty()) {
    const std::int32_t n = pending.back();
    pending.pop_back();
    depth_first.push_back(n);
    const auto& children = tree.children[n];
    pending.insert(pending.end(), children.rbegin(), children.rend());
  }
  std::stable_partition(depth_first.begin(), depth_first.end(),
                        [&](std::int32_t n) { return !tree.live[n]; });
  return depth_first;
}

void append(std::vector<RowRange>& ranges, RowRange range) {
  if (!ranges.empty() && ranges.back().begin + ranges.back().count == range.begin) {
    ranges.back().count += range.count;
  } else {
    ranges.push_back(range);
  }
}

std::int32_t count_keys(std::span<const RowRange> ranges) {
  std::int32_t keys = 0;
  for (const RowRange& range : ranges) keys += range.count;
  return keys;
}

// Rows of one layout with the unbranched stretches ("segments") they belong to.
class Segments {
 public:
  Segments(const TextForest& forest, const StageTree& tree, std::span<const std::int32_t> order)
      : row_of_(tree.parent.size()), segment_of_(order.size()) {
    for (std::size_t r = 0; r < order.size(); ++r) {
      const std::int32_t n = order[r];
      const auto row = static_cast<std::int32_t>(r);
      row_of_[n] = row;
      const std::int32_t parent = tree.parent[n];
      const bool visible = forest.row(tree.node[n]).visible;
      const bool continues = parent >= 0 && r > 0 && row_of_[parent] == row - 1 && visible &&
                             segments_.back().visible && tree.children[parent].size() == 1 &&
                             tree.live[parent] == tree.live[n];
      if (continues) {
        ++segments_.back().rows.count;
      } else {
        segments_.push_back(
            {{row, 1}, visible, parent < 0 ? std::vector<RowRange>() : path(parent)});
      }
      segment_of_[r] = segments_.size() - 1;
    }
  }

  std::int32_t row_of(std::int32_t tree_node) const { return row_of_[tree_node]; }

  // Rows that tree node `n` sees, which are those that its children see above themselves.
  std::vector<RowRange> path(std::int32_t n) const {
    const std::int32_t row = row_of_[n];
    const Segment& segment = segments_[segment_of_[row]];
    std::vector<RowRange> ranges = segment.above;
    if (segment.visible) append(ranges, {segment.rows.begin, row - segment.rows.begin + 1});
    return ranges;
  }

  void add_groups(ForestLayout& layout) const {
    for (const Segment& segment : segments_) {
      std::vector<RowRange> keys = segment.above;
      const std::int32_t above = count_keys(keys);
      if (segment.visible) append(keys, segment.rows);
      AttentionPlan& plan =
          segment.rows.begin < layout.frozen ? layout.frozen_attention : layout.live_attention;
      plan.add(segment.rows.count, above + (segment.visible ? 1 : 0), keys);
    }
  }

 private:
  struct Segment {
    RowRange rows;
    bool visible;
    std::vector<RowRange> above;
  };

  std::vector<std::int32_t> row_of_;  // per tree node
  std::vector<std::size_t> segment_of_;
  std::vector<Segment> segments_;
};

// What is new at the input of `block`: the deep row of exactly that block, or nothing.
const DeepRow* deep_at(const PromptRow& row, std::int32_t block) {
  for (const DeepRow& deep : row.deep) {
    if (deep.block == block) return &deep;
  }
  return nullptr;
}

std::vector<std::int32_t> stage_blocks(const TextForest& forest, std::span<const char> needed) {
  std::set<std::int32_t> blocks = {0};
  for (Node n = 0; n < static_cast<Node>(forest.nodes()); ++n) {
    if (!needed[n]) continue;
    for (const DeepRow& deep : forest.row(n).deep) blocks.insert(deep.block);
  }
  return {blocks.begin(), blocks.end()};
}

std::int32_t count_learnable(const TextForest& forest, std::span<const char> needed) {
  std::int32_t largest = -1;
  for (Node n = 0; n < static_cast<Node>(forest.nodes()); ++n) {
    if (!needed[n]) continue;
    largest = std::max(largest, forest.row(n).learnable);
    for (const DeepRow& deep : forest.row(n).deep) largest = std::max(largest, deep.learnable);
  }
  return largest + 1;
}

void add_readouts(ForestPlan& plan, const TextForest& forest, std::span<const std::size_t> readouts,
                  const StageTree& tree, const Segments& segments) {
  std::vector<std::int64_t> live_features;
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    const std::int32_t n = tree.of_node[forest.readouts()[readouts[i]]];
    const std::vector<RowRange> keys = segments.path(n);
    const auto add = [&](AttentionPlan& attention, std::vector<std::int32_t>& rows,
                         std::vector<std::int64_t>& features) {
      attention.add(1, count_keys(keys), keys);
      rows.push_back(segments.row_of(n));
      features.push_back(static_cast<std::int64_t>(i));
    };
    if (tree.live[n]) {
      add(plan.live_readout_attention, plan.live_readouts, live_features);
    } else {
      add(plan.frozen_readout_attention, plan.frozen_readouts, plan.feature);
    }
  }
  plan.feature.insert(plan.feature.end(), live_features.begin(), live_features.end());
}

}  // namespace

void AttentionPlan::add(std::int32_t queries_in_group, std::int32_t first_seen,
                        std::span<const RowRange> keys) {
  QueryGroup group;
  group.first_query = static_cast<std::int32_t>(queries);
  group.queries = queries_in_group;
  group.first_seen = first_seen;
  group.first_range = static_cast<std::int32_t>(ranges.size());
  group.ranges = static_cast<std::int32_t>(keys.size());
  group.weights = weights;
  groups.push_back(group);
  ranges.insert(ranges.end(), keys.begin(), keys.end());
  queries += queries_in_group;
  weights += static_cast<std::int64_t>(queries_in_group) * group.keys();
}

ForestPlan plan_forest(const TextForest& forest, std::span<const std::size_t> readouts,
                       bool all_live) {
  const std::vector<char> needed = needed_nodes(forest, readouts);
  ForestPlan plan;
  plan.learnable_rows = count_learnable(forest, needed);

  std::vector<std::int32_t> row_before;  // per node of the forest: its row in the stage before
  const std::vector<std::int32_t> blocks = stage_blocks(forest, needed);
  for (const std::int32_t block : blocks) {
    const StageTree tree = merge_nodes(forest, needed, block, all_live);
    const std::vector<std::int32_t> order = row_order(tree);
    const Segments segments(forest, tree, order);

    ForestStage& stage = plan.stages.emplace_back();
    stage.first_block = block;
    stage.layout.rows = static_cast<std::int32_t>(order.size());
    stage.layout.frozen = static_cast<std::int32_t>(
        std::count(tree.live.begin(), tree.live.end(), static_cast<char>(0)));
    segments.add_groups(stage.layout);
    for (const std::int32_t n : order) {
      const Node node = tree.node[n];
      const PromptRow& row = forest.row(node);
      if (block == 0) {
        stage.source.push_back(row.token >= 0 ? row.token : ~row.learnable);
        plan.position.push_back(row.positioned ? forest.depth(node) : -1);
      } else {
        const DeepRow* deep = deep_at(row, block);
        stage.source.push_back(deep != nullptr ? ~deep->learnable : row_before[node]);
      }
    }
    row_before.assign(forest.nodes(), -1);
    for (Node n = 0; n < static_cast<Node>(forest.nodes()); ++n) {
      if (needed[n]) row_before[n] = segments.row_of(tree.of_node[n]);
    }

    if (block == blocks.back()) add_readouts(plan, forest, readouts, tree, segments);
  }
  return plan;
}

}  // namespace openworld
