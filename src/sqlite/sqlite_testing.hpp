// For tests of SQLite: tasks without a loop run where they are started.
#pragma once

#include <tern/sqlite.hpp>

#include "base/test_folder.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tern::sqlite {

template <class T>
T now(Task<T> task) {
  if (!task.start(nullptr, nullptr)) throw std::logic_error("the task waits");
  return task.result();
}

// The SqlError of a task.
template <class T>
SqlError error_of(Task<T> task) {
  try {
    now(std::move(task));
  } catch (const SqlError& error) {
    return error;
  }
  return {SqlErrorKind::Other, "there was no error"};
}

}  // namespace tern::sqlite
