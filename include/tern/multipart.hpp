// Forms with files: Multipart<T>, MultipartStream, UploadedFile.
#pragma once

#include <tern/app/multipart.hpp>
#include <tern/app/multipart_file.hpp>
#include <tern/app/multipart_stream.hpp>
