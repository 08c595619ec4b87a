#include "lessons/course/engine/work_watch.h"

#include <utility>

namespace gradwalk::course {

WorkWatch::WorkWatch(const Console& console, Progress::Clock clock)
    : console_(console), clock_(std::move(clock)) {}

void WorkWatch::operator()(std::string_view what, std::int64_t done, std::int64_t total) {
  if (console_.interrupted() != 0) {
    clear();
    throw Interrupted{};
  }
  if (!progress_ || what != what_ || total != total_ || done <= done_) {
    clear();
    what_ = what;
    total_ = total;
    Progress::Work work{.name = what_, .done = done, .total = total};
    if (clock_) {
      progress_.emplace(console_, std::move(work), clock_);
    } else {
      progress_.emplace(console_, std::move(work));
    }
  }
  done_ = done;
  if (done < total) {
    progress_->show(done, "");
  } else {
    clear();
  }
}

void WorkWatch::clear() {
  if (progress_) progress_->clear();
}

}  // namespace gradwalk::course
