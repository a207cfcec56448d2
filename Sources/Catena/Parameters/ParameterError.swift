/// A parameter that cannot be sent.
package struct ParameterError: Error, CustomStringConvertible {
    /// Where it stands, such as `filter.sizes[3]`; empty for the root.
    private(set) var keyPath: String
    /// What is wrong with it, as the end of a sentence that starts with the key path.
    let reason: String
    /// What a closure of the caller threw.
    let underlying: (any Error)?

    init(_ reason: String, underlying: (any Error)? = nil) {
        keyPath = ""
        self.reason = reason
        self.underlying = underlying
    }

    package var description: String {
        keyPath.isEmpty ? "The parameters cannot be sent: \(reason)" : "The parameter '\(keyPath)' cannot be sent: \(reason)"
    }

    // The path is put together while the error travels outwards, so that an encoding that succeeds never builds one.

    func inside(_ key: String) -> ParameterError {
        var error = self
        error.keyPath = keyPath.isEmpty ? key : keyPath.hasPrefix("[") ? key + keyPath : key + "." + keyPath
        return error
    }

    func inside(_ index: Int) -> ParameterError {
        var error = self
        error.keyPath = keyPath.isEmpty || keyPath.hasPrefix("[") ? "[\(index)]" + keyPath : "[\(index)]." + keyPath
        return error
    }
}

extension ParameterError {
    /// Nothing real nests this deep, and the encoders recurse: the limit keeps them within a stack of 512 KB, the smallest that a
    /// thread has by default, even where nothing is optimised.
    static let deepest = 100

    static func checkDepth(_ depth: Int) throws(ParameterError) {
        guard depth <= deepest else { throw ParameterError("it is nested more than \(deepest) levels deep") }
    }
}

extension APIError {
    /// A parameter that cannot be sent, told by the step that set it.
    static func invalid(_ step: String, _ error: ParameterError) -> APIError {
        let place = error.keyPath.isEmpty ? "" : "\"\(error.keyPath)\": "
        return .invalid(step, place + error.reason, underlying: error.underlying ?? error)
    }
}
