#pragma once

#include <string>
#include <vector>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/ledger.h"
#include "lessons/course/engine/lesson.h"

namespace gradwalk::course {

/// The lessons as a table of Markdown: what each is about, and its claims by the verdicts of their
/// newest records, judged by the catalogue of today.
std::string course_page(const std::vector<LessonFactory>& lessons, const Catalogue& catalogue,
                        const Ledger& ledger);

}  // namespace gradwalk::course
