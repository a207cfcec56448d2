#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

// libcurl returns for each option whether it accepts it. An ignored option could be the one that pins a key or names an authority. So every
// setter checks the result.
extension CurlHandle {
    package typealias Option = CurlLibrary.Option

    func set(_ option: Option, _ value: Int) throws {
        try check(catena_easy_set_long(easy, option.rawValue, value), option)
    }

    func set(_ option: Option, _ value: Int64) throws {
        try check(catena_easy_set_size(easy, option.rawValue, value), option)
    }

    func set(_ option: Option, _ text: String) throws {
        try text.withCString { characters in
            // A C string would end at the zero byte.
            guard strlen(characters) == text.utf8.count else {
                throw APIError(.invalidRequest, message: "The transport's option \"\(option)\" contains a zero byte.")
            }
            try check(catena_easy_set_pointer(easy, option.rawValue, characters), option)
        }
    }

    func set(_ option: Option, _ pointer: UnsafeRawPointer) throws {
        try check(catena_easy_set_pointer(easy, option.rawValue, pointer), option)
    }

    func set(_ option: Option, data callback: CurlDataCallback) throws {
        try check(catena_easy_set_data_callback(easy, option.rawValue, callback), option)
    }

    func set(_ option: Option, seek callback: CurlSeekCallback) throws {
        try check(catena_easy_set_seek_callback(easy, option.rawValue, callback), option)
    }

    func set(_ option: Option, prerequest callback: CurlPrerequestCallback) throws {
        try check(catena_easy_set_prerequest_callback(easy, option.rawValue, callback), option)
    }

    func set(_ option: Option, progress callback: CurlProgressCallback) throws {
        try check(catena_easy_set_progress_callback(easy, option.rawValue, callback), option)
    }

    func set(_ option: Option, debug callback: CurlDebugCallback) throws {
        try check(catena_easy_set_debug_callback(easy, option.rawValue, callback), option)
    }

    func set(_ option: Option, open callback: CurlOpenSocketCallback) throws {
        try check(catena_easy_set_open_callback(easy, option.rawValue, callback), option)
    }

    func set(_ option: Option, close callback: CurlCloseSocketCallback) throws {
        try check(catena_easy_set_close_callback(easy, option.rawValue, callback), option)
    }

    /// Rejects a server certificate that names no host. libcurl would use its common name instead (RFC 9525 §2).
    func requireHostNames() throws {
        try check(catena_easy_require_names(easy), .certificateCheck)
    }

    /// Removes libcurl's default value of an option.
    func clear(_ option: Option) throws {
        let result = catena_easy_set_pointer(easy, option.rawValue, nil)
        // A libcurl that does not know the option, or was built without it, has no default to remove.
        guard let code = CurlCode(rawValue: result), [.notBuiltIn, .unknownOption].contains(code) else { return try check(result, option) }
    }

    private func check(_ result: Int32, _ option: Option) throws {
        guard result != 0 else { return }
        let reason = String(cString: catena_easy_error(result))
        throw APIError(.invalidRequest, message: "libcurl does not take the transport's option \"\(option)\": \(reason).")
    }
}
#endif
