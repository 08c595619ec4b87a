// The driver, and each lesson's own executable: its words are those of
// `gradwalk run N`.

#include <exception>
#include <string>
#include <vector>

#include "lessons/commands/context.h"
#include "lessons/course/catalogue.h"
#include "lessons/course/console.h"
#include "lessons/course/interrupt.h"
#include "lessons/course/lesson_table.h"

int main(int argc, char** argv) {
  namespace course = gradwalk::course;
  course::catch_interrupts();
  const course::Console console = course::process_console();
  try {
    const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
    const gradwalk::commands::Context context{console, catalogue, gradwalk::lessons::lesson_table(),
                                              gradwalk::lessons::is_single_lesson()};
    const std::vector<std::string> words(argv + 1, argv + argc);
    return static_cast<int>(gradwalk::commands::dispatch(context, words));
  } catch (const std::exception& error) {
    console.err(std::string("internal error: ") + error.what() + "\n");
    return static_cast<int>(course::Exit::kInternal);
  }
}
