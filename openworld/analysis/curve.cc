#include "openworld/analysis/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <string>

#include "openworld/base/error.h"
#include "openworld/metrics/aupr.h"
#include "openworld/metrics/auroc.h"
#include "openworld/metrics/open_auc.h"
#include "openworld/metrics/openworld_auc.h"
#include "openworld/metrics/two_sides.h"

namespace openworld {
namespace {

constexpr CurveRow kCurves[] = {
    {CurveKind::kMissHit, "miss-hit", "miss rate of base samples", "hit rate of new samples",
     "new samples found and named right against base samples missed or misnamed", &kOpenworldAuc},
    {CurveKind::kRoc, "roc", "false positive rate", "true positive rate",
     "base samples accepted against samples of the open side accepted", &kAuroc},
    {CurveKind::kPr, "pr", "recall of base samples", "precision",
     "share of base samples among those accepted against base samples accepted", &kAuprBase},
    {CurveKind::kCotprOfpr, "cotpr-ofpr", "OFPR (open samples accepted)",
     "COTPR (base samples accepted and named right)",
     "base samples accepted and named right against open samples accepted", &kOpenAuc},
};

constexpr std::size_t kFew = std::size_t{1} << 16;  // points that are kept as they are
constexpr double kStride = 1.0 / (1 << 13);         // an eighth of a pixel on a thousand of them

struct Vertex {
  std::size_t rank;
  double x, y;
};

// f(vertex) for each threshold, ascending.
template <class F>
void for_each_vertex(const Ranking& ranking, CurveKind kind, const TwoSides& sides, F&& f) {
  const KindCounts& totals = ranking.totals();
  const auto base = static_cast<double>(sides.base), other = static_cast<double>(sides.other);
  ranking.for_each_threshold([&](std::size_t rank, const KindCounts& below) {
    const auto accepted_base = static_cast<double>(sides.base - below.base());
    const auto accepted_other = static_cast<double>(sides.other - below.open(sides.open));
    const std::int64_t right = totals.of[kBaseRight] - below.of[kBaseRight];
    const double accepted = accepted_base + accepted_other;
    switch (kind) {
      case CurveKind::kMissHit:
        f(Vertex{rank, static_cast<double>(sides.base - right) / base,
                 static_cast<double>(below.of[kNewRight]) / other});
        break;
      case CurveKind::kRoc:
        f(Vertex{rank, accepted_other / other, accepted_base / base});
        break;
      case CurveKind::kPr:
        f(Vertex{rank, accepted_base / base, accepted > 0 ? accepted_base / accepted : 1});
        break;
      case CurveKind::kCotprOfpr:
        f(Vertex{rank, accepted_other / other, static_cast<double>(right) / base});
        break;
    }
    return true;
  });
}

// The vertices, without those within `stride` of the last one kept but for the last of them.
class Collector {
 public:
  explicit Collector(double stride) : stride_(stride) {}

  void add(const Vertex& v) {
    if (!kept_.empty()) {
      const double dx = std::abs(v.x - kept_.back().x), dy = std::abs(v.y - kept_.back().y);
      if (dx == 0 && dy == 0) return;
      if (dx <= stride_ && dy <= stride_) {
        skipped_ = v;
        has_skipped_ = true;
        return;
      }
      flush();
    }
    kept_.push_back(v);
  }

  std::vector<Vertex> finish() {
    flush();
    return std::move(kept_);
  }

 private:
  void flush() {
    if (has_skipped_) kept_.push_back(skipped_);
    has_skipped_ = false;
  }

  double stride_;
  std::vector<Vertex> kept_;
  Vertex skipped_{};
  bool has_skipped_ = false;
};

// The vertical distance of v from the line from a to b.
double distance(const Vertex& v, const Vertex& a, const Vertex& b) {
  if (a.x == b.x) {
    return std::max({std::min(a.y, b.y) - v.y, v.y - std::max(a.y, b.y), 0.0});
  }
  return std::abs(v.y - (a.y + (v.x - a.x) / (b.x - a.x) * (b.y - a.y)));
}

// A stretch between two kept vertices and the vertex in it farthest from its line.
struct Stretch {
  double error;
  std::size_t begin, worst, end;

  bool operator<(const Stretch& other) const {
    return error != other.error ? error < other.error : begin > other.begin;
  }
};

std::vector<Vertex> thin(std::vector<Vertex> all, std::size_t max_points) {
  if (all.size() <= max_points) return all;
  std::priority_queue<Stretch> stretches;
  const auto push = [&](std::size_t begin, std::size_t end) {
    Stretch stretch{0, begin, begin, end};
    for (std::size_t i = begin + 1; i < end; ++i) {
      const double error = distance(all[i], all[begin], all[end]);
      if (error > stretch.error) stretch = {error, begin, i, end};
    }
    if (stretch.error > 0) stretches.push(stretch);
  };
  std::vector<std::size_t> kept = {0, all.size() - 1};
  push(kept[0], kept[1]);
  while (kept.size() < max_points && !stretches.empty()) {
    const Stretch top = stretches.top();
    stretches.pop();
    kept.push_back(top.worst);
    push(top.begin, top.worst);
    push(top.worst, top.end);
  }
  std::sort(kept.begin(), kept.end());
  std::vector<Vertex> thinned;
  thinned.reserve(kept.size());
  for (const std::size_t i : kept) thinned.push_back(all[i]);
  return thinned;
}

}  // namespace

std::span<const CurveRow> curve_table() {
  return kCurves;
}

const CurveRow& find_curve(std::string_view name) {
  std::string known;
  for (const CurveRow& row : kCurves) {
    if (row.name == name) return row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  fail("curve", fmt::format("unknown curve '{}'; expected one of {}", name, known));
}

Curve make_curve(const Ranking& ranking, CurveKind kind, const MetricOptions& options,
                 std::size_t max_points) {
  Curve curve;
  curve.row = &kCurves[static_cast<std::size_t>(kind)];
  MetricOptions half = options;
  half.ties = Ties::kHalf;
  curve.area = curve.row->metric->compute(ranking, half);
  if (!curve.area.defined()) return curve;

  const auto codes = ranking.codes();
  const auto scores = static_cast<std::size_t>(std::count_if(
      codes.begin(), codes.end(), [](std::uint8_t code) { return code & kLastOfTie; }));
  const TwoSides sides = two_sides(*curve.row->metric, ranking, options);
  Collector collector(max_points == 0 || scores < std::max(kFew, max_points) ? 0 : kStride);
  for_each_vertex(ranking, kind, sides, [&](const Vertex& v) { collector.add(v); });
  std::vector<Vertex> kept = collector.finish();

  if (max_points > 0) {
    kept = thin(std::move(kept), std::max<std::size_t>(max_points, 2));
    std::size_t next = 1;
    for_each_vertex(ranking, kind, sides, [&](const Vertex& v) {
      if (next < kept.size() && v.rank == kept[next].rank) ++next;
      if (next == kept.size()) return;
      curve.max_error = std::max(curve.max_error, distance(v, kept[next - 1], kept[next]));
    });
  }
  if (kept.front().x > kept.back().x) std::reverse(kept.begin(), kept.end());
  curve.points.reserve(kept.size());
  for (const Vertex& v : kept) {
    curve.points.push_back({v.x, v.y, ranking.threshold(v.rank)});
  }
  return curve;
}

}  // namespace openworld
