#include "tensor/kernels/attention.h"

#include "tensor/kernels/attention_softmax.h"
#include "tensor/kernels/attention_tile.h"
#include "tensor/kernels/gemv.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/scratch.h"
#include "tensor/kernels/simd_rows.h"

// Attention without a map of T x S weights. From the outside in:
//
//   a key/value head:  its keys and values go into panels once, for all query heads of the group
//   a query tile:      8 strips, for which a tile of keys and values is read from L2 once
//   a key tile:        256 keys
//   a strip:           8 queries, whose scores (8 KiB) stay in L1 from one product to the other
//
// The weights of a strip are relative to the largest score so far; when a key tile brings a larger
// one, what was summed up is scaled down to it (Milakov and Gimelshein 2018, algorithm 3). Scores
// are computed up to the last key that a query of the strip sees: the masked half costs nothing.
//
// A value that no query of its tile may see must not be read, but a strip reads the values of all
// keys of which one query sees one, with weight 0 for the others, and 0 times NaN is NaN. So values
// that are not finite are zeros in the panels, and added afterwards for the queries that see them.

namespace gradwalk::kernels {
namespace {

constexpr std::int64_t kKeyTile = 256;
constexpr std::int64_t kStripsInTile = 8;
constexpr std::int64_t kTileQueries = kStripsInTile * kTileRows;
// Up to this many queries of a group, to copy the keys costs more than the products: a query from a
// cache of keys reads them in place, one by one.
constexpr std::int64_t kFew = 4;
// Rows 17 lines apart: 8 of them do not fall on one set of the cache.
constexpr std::int64_t kScoreRow = kKeyTile + 16;

// Rows of a strip's scores, with room for whole groups of the softmax.
constexpr int kScoreRows = (kTileRows + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce;

// A thread's share of the scratch.
template <class T>
struct Memory : MemoryPlan {
  explicit Memory(const AttentionHeads<T>& a)
      : value_width(Panels<T>::even_width(a.value_dim)),
        sum_row(whole_vectors<T>(a.value_dim)),
        keys(take<T>(Panels<T>::size(a.head_dim, a.keys, kKeyWidth))),
        values(take<T>(Panels<T>::size(a.keys, a.value_dim, value_width))),
        odd(take<T>(a.keys)),
        queries(take<T>(kTileQueries * a.head_dim)),
        sums(take<T>(kTileQueries * sum_row)),
        scores(take<T>(kScoreRows * kScoreRow)),
        kept(take<T>(kScoreRows * kScoreRow)) {}

  static constexpr int kKeyWidth = 2 * kLanes<T>;
  int value_width;
  std::int64_t sum_row;
  std::int64_t keys, values, odd, queries, sums, scores, kept;
};

template <class T>
void scale_row(T* x, std::int64_t whole, T factor) {
  const hn::ScalableTag<T> d;
  const auto by = hn::Set(d, factor);
  for (std::int64_t c = 0; c < whole; c += kLanes<T>) {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + c), by), d, x + c);
  }
}

// One key/value head, seen by one query head after the other.
template <class T>
class Group {
 public:
  Group(const AttentionHeads<T>& heads, const Memory<T>& plan, T* memory)
      : heads_(heads),
        plan_(plan),
        keys_(memory + plan.keys, Memory<T>::kKeyWidth),
        values_(memory + plan.values, plan.value_width),
        odd_(memory + plan.odd),
        queries_(memory + plan.queries),
        sums_(memory + plan.sums),
        scores_(memory + plan.scores),
        kept_(memory + plan.kept) {}

  // The keys and values 0, ..., end - 1.
  void read(std::int64_t batch, std::int64_t group, std::int64_t end) {
    batch_ = batch;
    key_ = heads_.key.of(batch, group);
    const std::int64_t readers = heads_.queries * heads_.heads_per_group();
    few_queries_ = key_.column_stride == 1 && readers <= kFew && heads_.keys > 8 * readers;
    if (!few_queries_) keys_.copy(key_.transposed(), heads_.head_dim, end);
    value_ = heads_.value.of(batch, group);
    has_odd_ = values_.read_finite(value_, end, heads_.value_dim, odd_);
  }

  // Strips first, ..., last - 1 of one query head; at most kStripsInTile.
  void attend(std::int64_t head, const EvenCut& strips, std::int64_t first, std::int64_t last,
              HeadsView<T> y, double* log_sum) {
    const std::int64_t begin = strips.begin(first);
    const std::int64_t count = strips.begin(last) - begin;
    scale_queries(heads_, heads_.query.of(batch_, head, begin), count, queries_);
    std::fill(largest_, std::end(largest_), kHidden<T>);
    std::fill(total_, std::end(total_), T{0});
    const std::int64_t seen = heads_.visible_end(begin + count - 1);
    for (std::int64_t tile = 0; tile < seen; tile += kKeyTile) {
      for (std::int64_t strip = first; strip < last; ++strip) {
        const std::int64_t i = strips.begin(strip);
        const auto rows = static_cast<int>(strips.begin(strip + 1) - i);
        const std::int64_t end = std::min(tile + kKeyTile, heads_.visible_end(i + rows - 1));
        if (tile < end)
          add_tile({batch_, head, i, rows}, i - begin, (strip - first) * kScoreRows, tile, end);
      }
    }
    for (std::int64_t strip = first; strip < last; ++strip) {
      const std::int64_t i = strips.begin(strip);
      const std::int64_t rows = strips.begin(strip + 1) - i;
      const std::int64_t running = (strip - first) * kScoreRows;
      for (std::int64_t r = 0; r < rows; ++r) {
        write_row(sums_ + (i - begin + r) * plan_.sum_row, total_[running + r],
                  y.at(batch_, head, i + r));
      }
      simd::for_each_vector(simd::Wide(), rows, [&](std::int64_t r, auto part) {
        write_log_sums(running + r, log_sum + i + r, part);
      });
    }
  }

 private:
  // The keys begin, ..., end - 1 join the sums of a strip, which begins at `row` of the query tile
  // and at `running` of the running softmax.
  void add_tile(const StripAt& at, std::int64_t row, std::int64_t running, std::int64_t begin,
                std::int64_t end) {
    const std::int64_t columns = whole_vectors<T>(end - begin);
    T* sums = sums_ + row * plan_.sum_row;
    score_keys(at, queries_ + row * heads_.head_dim, begin, end);
    if (has_odd_) std::copy(scores_, scores_ + at.rows * kScoreRow, kept_);
    for (int r = 0; r < at.rows; r += kRowsAtOnce) {
      add_rows({scores_ + r * kScoreRow, kScoreRow, columns,
                heads_.hidden_from(at.query + r) - begin, heads_.causal ? 1 : 0},
               std::min(kRowsAtOnce, at.rows - r), begin == 0, running + r,
               sums + r * plan_.sum_row);
    }
    multiply<T>({scores_, kScoreRow, 1}, at.rows, values_, begin, end - begin, plan_.sum_row,
                /*add=*/begin > 0, sums, plan_.sum_row);
    if (has_odd_) add_odd_values(at, begin, end, sums);
  }

  void score_keys(const StripAt& at, const T* queries, std::int64_t begin, std::int64_t end) {
    if (!few_queries_) {
      return strip_scores(heads_, at, queries, keys_, 0, begin, end, scores_, kScoreRow);
    }
    for (std::int64_t r = 0; r < at.rows; ++r) {
      gemv<T>(end - begin, heads_.head_dim, key_.from(begin, 0), queries + r * heads_.head_dim, 1,
              nullptr, 0, scores_ + r * kScoreRow);
    }
    mask_scores(heads_, at, begin, end, scores_, kScoreRow);
  }

  // Scores of `there` rows become weights relative to the largest so far, and what was summed up is
  // scaled down to it.
  void add_rows(const ScoreRows<T>& rows, int there, bool first, std::int64_t at, T* sums) {
    T* largest = largest_ + at;
    T* total = total_ + at;
    T top[kRowsAtOnce], added[kRowsAtOnce], shrink[kRowsAtOnce];
    find_largest(rows, top);
    for (int r = 0; r < kRowsAtOnce; ++r) {
      top[r] = std::max(largest[r], top[r]);
      shrink[r] = largest[r] - top[r];  // 0 or below, NaN where no key was seen yet
      largest[r] = top[r];
      // Whatever it is relative to, a key that is hidden has weight 0, and a NaN is one.
      if (top[r] == kHidden<T>) top[r] = 0;
    }
    make_weights(rows, top, added);
    if (!first) {
      for (int r = 0; r < there; ++r) {
        if (!(shrink[r] < 0)) continue;
        const T factor = std::exp2(shrink[r]);
        total[r] *= factor;
        scale_row(sums + r * plan_.sum_row, plan_.sum_row, factor);
      }
    }
    for (int r = 0; r < kRowsAtOnce; ++r) total[r] += added[r];
  }

  void add_odd_values(const StripAt& at, std::int64_t begin, std::int64_t end, T* sums) {
    for (std::int64_t r = 0; r < at.rows; ++r, sums += plan_.sum_row) {
      const std::int64_t seen = std::min(end, heads_.visible_end(at.query + r));
      for (std::int64_t j = begin; j < seen; ++j) {
        const std::int64_t in_strip = r * kScoreRow + j - begin;
        if (odd_[j] == 0 || kept_[in_strip] == kHidden<T>) continue;
        for (std::int64_t c = 0; c < heads_.value_dim; ++c) {
          sums[c] += scores_[in_strip] * *value_.at(j, c);
        }
      }
    }
  }

  // y = sums / total, or 0 if no key was seen.
  void write_row(const T* sums, T total, T* y) const {
    const hn::ScalableTag<T> d;
    simd::for_each_vector(d, heads_.value_dim, [&](std::int64_t c, auto part) {
      const auto mean =
          total == 0 ? hn::Zero(d) : hn::Mul(hn::LoadU(d, sums + c), hn::Set(d, 1 / total));
      simd::store(mean, d, y + c, part);
    });
  }

  // In float64: all weights are computed from it on the way back.
  template <class Part>
  void write_log_sums(std::int64_t i, double* log_sum, Part part) const {
    const simd::Wide d;
    const auto total = simd::load_wide(total_ + i, simd::Whole());
    const auto largest = simd::load_wide(largest_ + i, simd::Whole());
    auto nats = hn::MulAdd(largest, hn::Set(d, std::numbers::ln2), hn::Log(d, total));
    nats = hn::MulAdd(total, hn::Zero(d), nats);  // Log makes numbers of NaN
    const auto none_seen = hn::Eq(total, hn::Zero(d));
    simd::store(hn::IfThenElse(none_seen, hn::Set(d, kHidden<double>), nats), d, log_sum, part);
  }

  const AttentionHeads<T>& heads_;
  const Memory<T>& plan_;
  Panels<T> keys_, values_;
  T *odd_, *queries_, *sums_, *scores_, *kept_;
  std::int64_t batch_ = 0;
  MatrixView<T> key_{}, value_{};
  bool few_queries_ = false, has_odd_ = false;
  // The running softmax of each query, kScoreRows for each strip: its largest score so far, and the
  // sum of 2^(score - largest).
  T largest_[kStripsInTile * kScoreRows], total_[kStripsInTile * kScoreRows];
};

}  // namespace

template <class T>
void attention(const AttentionHeads<T>& heads, HeadsView<T> y, double* log_sum) {
  const std::int64_t groups = heads.batch * heads.num_kv_heads;
  if (groups == 0 || heads.num_heads == 0 || heads.queries == 0) return;
  const EvenCut strips(heads.queries, kTileRows);
  const EvenCut tiles(strips.pieces, kStripsInTile);
  // A few heads alone would keep a few threads busy: then the query tiles are shared out as well,
  // and each part reads the keys that it sees anew.
  const std::int64_t parts =
      std::clamp<std::int64_t>((8 + groups - 1) / groups, 1, (tiles.pieces + 1) / 2);
  const EvenCut part_tiles(tiles.pieces, (tiles.pieces + parts - 1) / parts);
  const std::int64_t work = heads.batch * heads.num_heads * heads.queries * heads.keys *
                            (heads.head_dim + heads.value_dim) / (heads.causal ? 80 : 40);
  const Memory<T> plan(heads);
  const int team =
      static_cast<int>(std::min<std::int64_t>(team_size(work), groups * part_tiles.pieces));
  Scratch<T> scratch(team * plan.total());
  for_each_item(groups * part_tiles.pieces, team, [&](std::int64_t item, int thread) {
    // The last part sees the most keys and comes first.
    const std::int64_t part = part_tiles.pieces - 1 - item / groups;
    const std::int64_t batch = item % groups / heads.num_kv_heads;
    const std::int64_t kv_head = item % groups % heads.num_kv_heads;
    const std::int64_t first = part_tiles.begin(part), last = part_tiles.begin(part + 1);
    Group<T> group(heads, plan, scratch.data() + thread * plan.total());
    group.read(batch, kv_head, heads.visible_end(strips.begin(tiles.begin(last)) - 1));
    for (std::int64_t h = 0; h < heads.heads_per_group(); ++h) {
      const std::int64_t head = kv_head * heads.heads_per_group() + h;
      double* sums = log_sum + (batch * heads.num_heads + head) * heads.queries;
      for (std::int64_t tile = first; tile < last; ++tile) {
        group.attend(head, strips, tiles.begin(tile), tiles.begin(tile + 1), y, sums);
      }
    }
  });
}

template void attention(const AttentionHeads<float>&, HeadsView<float>, double*);
template void attention(const AttentionHeads<double>&, HeadsView<double>, double*);

}  // namespace gradwalk::kernels
