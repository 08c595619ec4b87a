#include "lessons/course/engine/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "lessons/course/engine/outcome.h"
#include "lessons/course/text/suggest.h"

namespace gradwalk::course {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void require_same_breaks(const Lesson& lesson, const Catalogue& catalogue) {
  for (const CatalogueBreak& one : catalogue.breaks) {
    if (one.lesson == lesson.number() && lesson.find_break(one.name) == nullptr) {
      throw std::logic_error(fmt::format("claims.json lists the break '{}', which lesson {} lacks",
                                         one.name, lesson.number()));
    }
  }
  for (const Break& one : lesson.breaks()) {
    if (catalogue.flips(lesson.number(), one.name).empty()) {
      throw std::logic_error(fmt::format("lesson {} has the break '{}', which claims.json lacks",
                                         lesson.number(), one.name));
    }
  }
}

const ClaimRecord* find_claim(const StepRecord& step, const std::string& id) {
  const auto found = std::find_if(step.claims.begin(), step.claims.end(),
                                  [&](const ClaimRecord& claim) { return claim.id == id; });
  return found == step.claims.end() ? nullptr : &*found;
}

std::shared_ptr<const StepRecord> skipped_step(const Lesson& lesson, std::size_t at) {
  StepRecord skipped;
  skipped.title = lesson.step_title(at);
  skipped.skipped = true;
  return std::make_shared<const StepRecord>(std::move(skipped));
}

template <class Reads>
std::optional<std::size_t> first_reader(const RunRecord& record, Reads reads) {
  for (std::size_t at = 0; at < record.steps.size(); ++at) {
    if (reads(*record.steps[at])) return at;
  }
  return std::nullopt;
}

}  // namespace

Session::Session(LessonFactory factory, const Catalogue& catalogue, Settings settings)
    : factory_(std::move(factory)),
      catalogue_(catalogue),
      settings_(std::move(settings)),
      state_(fresh(settings_)) {
  require_same_breaks(state_.lesson, catalogue_);
}

Session::State Session::fresh(const Settings& settings) const {
  State state{factory_(), {}, {}, 0};
  RunRecord& record = state.record;
  record.lesson = state.lesson.number();
  record.name = state.lesson.name();
  record.title = state.lesson.title();
  for (std::size_t at = 0; at < state.lesson.step_count(); ++at) {
    record.step_titles.push_back(state.lesson.step_title(at));
  }
  record.seed = settings.seed;
  record.quick = settings.quick;
  record.set.assign(settings.set.begin(), settings.set.end());
  record.breaks.assign(settings.breaks.begin(), settings.breaks.end());
  return state;
}

void Session::take_over(const RunRecord& earlier) {
  std::vector<std::shared_ptr<const StepRecord>> steps;
  for (const auto& step : earlier.steps) {
    const std::size_t at = steps.size();
    const bool exists = at < lesson().step_count();
    if (!exists || (!step->skipped && step->title != lesson().step_title(at))) {
      throw std::invalid_argument(fmt::format(
          "lesson {}, step {}: expected {}, got '{}'", lesson().number(), at + 1,
          exists ? fmt::format("'{}'", lesson().step_title(at)) : "no more steps", step->title));
    }
    steps.push_back(step->skipped ? skipped_step(lesson(), at) : step);
  }
  state_.record.steps = std::move(steps);
  state_.record.guesses = earlier.guesses;
  state_.record.seconds = earlier.seconds;
}

void Session::ask_only(std::set<std::string> claims) { asked_ = std::move(claims); }

bool Session::wanted() const {
  const StepRecord& step = *record().steps.back();
  if (step.skipped || steps_run() <= start_) return false;
  return asked_.empty() ||
         std::any_of(step.claims.begin(), step.claims.end(),
                     [&](const ClaimRecord& claim) { return asked_.contains(claim.id); });
}

bool Session::done() const {
  if (steps_run() == lesson().step_count()) return true;
  if (asked_.empty()) return false;
  std::set<std::string> missing = asked_;
  for (const auto& step : record().steps) {
    for (const ClaimRecord& claim : step->claims) missing.erase(claim.id);
  }
  return std::none_of(missing.begin(), missing.end(), [&](const std::string& id) {
    const CatalogueClaim* claim = catalogue_.find(id);
    return claim != nullptr && claim->lesson == lesson().number();
  });
}

const StepRecord& Session::advance() {
  advance(state_, settings_);
  return *record().steps.back();
}

bool Session::skips(const Lesson& lesson, std::size_t step) const {
  if (!lesson.do_steps_stand_alone()) return false;
  const std::vector<std::string>& claims = lesson.step_claims(step);
  return step < start_ ||
         (!asked_.empty() && std::none_of(claims.begin(), claims.end(), [&](const std::string& id) {
           return asked_.contains(id);
         }));
}

void Session::advance(State& state, const Settings& settings) const {
  const std::size_t at = state.record.steps.size();
  if (skips(state.lesson, at)) {
    state.record.steps.push_back(skipped_step(state.lesson, at));
    return;
  }
  // Behind steps that were taken over: what a step needs of earlier ones is there only once they
  // ran.
  if (!state.lesson.do_steps_stand_alone()) {
    for (; state.next_body < at; ++state.next_body)
      state.lesson.run_step(state.next_body, settings);
  }
  StepRecord step = state.lesson.run_step(at, settings);
  state.next_body = at + 1;
  for (ClaimRecord& claim : step.claims) {
    const auto start = Clock::now();
    judge(state, settings, claim);
    claim.seconds = step.seconds + seconds_since(start);
    state.record.seconds += seconds_since(start);
  }
  state.record.seconds += step.seconds;
  state.record.steps.push_back(std::make_shared<const StepRecord>(std::move(step)));
}

void Session::judge(State& state, const Settings& settings, ClaimRecord& claim) const {
  const CatalogueClaim* listed = catalogue_.find(claim.id);
  if (listed == nullptr || listed->lesson != state.lesson.number()) {
    throw std::logic_error(fmt::format("claim {} is not listed in claims.json for lesson {}",
                                       claim.id, state.lesson.number()));
  }
  for (const ClaimRecord* earlier : claims_of(state.record)) {
    if (earlier->id == claim.id) {
      throw std::logic_error(fmt::format("claim {} is stated in two steps", claim.id));
    }
  }
  claim.expected_verdict = listed->verdict;
  claim.control.name = listed->control;
  const std::size_t at = state.record.steps.size();
  if (at < start_) claim.skip_reason = start_reason();
  if (!asked_.empty() && !asked_.contains(claim.id)) claim.skip_reason = "not asked for";
  if (controls_ && claim.skip_reason.empty() && settings.breaks.empty()) {
    const ClaimRecord* other =
        find_claim(control_step(state, settings, listed->control, at), claim.id);
    claim.control.ran = true;
    if (other != nullptr) {
      const Outcome outcome = other->outcome();
      claim.control.found = other->found;
      claim.control.flipped = other->skip_reason.empty() && other->cases > 0 &&
                              outcome.as_stated != Truth::kUnclear &&
                              outcome.right != Truth::kUnclear && outcome != claim.outcome();
    }
  }
  claim.verdict = decide(claim, claim.expected_verdict);
}

const StepRecord& Session::control_step(State& state, const Settings& settings,
                                        const std::string& name, std::size_t at) const {
  Control& control = state.controls.try_emplace(name, Control{factory_(), {}}).first->second;
  Settings broken = settings;
  broken.breaks.insert(name);
  const std::size_t first = control.lesson.do_steps_stand_alone() ? at : 0;
  for (std::size_t step = first; step <= at; ++step) {
    if (control.steps.contains(step)) continue;
    try {
      control.steps.emplace(step, control.lesson.run_step(step, broken));
    } catch (const std::exception& error) {
      throw std::logic_error(fmt::format("control {}, step {}: {}", name, step + 1, error.what()));
    }
  }
  return control.steps.at(at);
}

void Session::guess(std::size_t step, std::size_t choice) {
  const auto& prediction = record().steps.at(step)->prediction;
  if (!prediction || choice >= prediction->choices.size()) {
    throw std::logic_error(fmt::format("step {} has no choice {}", step + 1, choice + 1));
  }
  state_.record.guesses.insert_or_assign(step, choice);
}

void Session::rerun(Settings settings, std::optional<std::size_t> from) {
  State state = fresh(settings);
  for (const auto& [step, choice] : record().guesses) {
    if (!from || step < *from) state.record.guesses.emplace(step, choice);
  }
  while (state.record.steps.size() < steps_run()) advance(state, settings);
  state_ = std::move(state);
  settings_ = std::move(settings);
}

Session::Rerun Session::change(std::string_view name, double value) {
  const Parameter* parameter = lesson().find_parameter(name);
  if (parameter == nullptr) {
    std::vector<std::string> names;
    for (const Parameter& one : lesson().parameters()) names.push_back(one.name);
    throw std::invalid_argument(unknown("parameter", name, names));
  }
  require_in_range(*parameter, value);
  const Rerun result{first_reader(record(), [&](const StepRecord& step) {
    return step.parameters_read.contains(std::string(name));
  })};
  Settings changed = settings_;
  changed.set.insert_or_assign(std::string(name), value);
  rerun(std::move(changed), result.from);
  return result;
}

Session::Rerun Session::toggle(std::string_view name) {
  if (lesson().find_break(name) == nullptr) {
    std::vector<std::string> names;
    for (const Break& one : lesson().breaks()) names.push_back(one.name);
    throw std::invalid_argument(unknown("break", name, names));
  }
  const Rerun result{first_reader(record(), [&](const StepRecord& step) {
    return step.breaks_read.contains(std::string(name));
  })};
  Settings changed = settings_;
  if (changed.breaks.erase(std::string(name)) == 0) changed.breaks.emplace(name);
  rerun(std::move(changed), result.from);
  return result;
}

std::string Session::start_reason() const { return fmt::format("before step {}", start_ + 1); }

bool Session::before_start(const std::string& claim) const {
  for (std::size_t at = 0; at < start_; ++at) {
    const std::vector<std::string>& claims = lesson().step_claims(at);
    if (std::find(claims.begin(), claims.end(), claim) != claims.end()) return true;
  }
  return false;
}

void Session::finish(const std::string& reason, bool left) {
  RunRecord& record = state_.record;
  const bool whole = done();
  record.left = left && !whole;
  record.complete = whole;
  std::set<std::string> stated;
  for (const ClaimRecord* claim : claims_of(record)) stated.insert(claim->id);
  for (const CatalogueClaim* listed : catalogue_.of_lesson(record.lesson)) {
    if (stated.contains(listed->id)) continue;
    ClaimRecord claim;
    claim.id = listed->id;
    claim.expected_verdict = listed->verdict;
    claim.control.name = listed->control;
    if (!asked_.empty() && !asked_.contains(claim.id)) {
      claim.skip_reason = "not asked for";
    } else if (before_start(listed->id)) {
      claim.skip_reason = start_reason();
    } else if (!whole) {
      claim.skip_reason = reason;
    }
    claim.verdict = decide(claim, claim.expected_verdict);
    record.not_run.push_back(std::move(claim));
  }
}

}  // namespace gradwalk::course
