import CatenaPlatform

extension Error {
    /// Whether the error means that work was cancelled and has not failed: a `CancellationError`, or the error of Foundation or of Catena for it.
    @usableFromInline
    package var isCancellation: Bool {
        if self is CancellationError { return true }
        if let error = self as? any PossibleCancellation { return error.meansCancellation }
        // An `NSError` of any domain casts to it, too.
        if !(type(of: self) is AnyClass), let error = self as? CocoaError { return error.code == .userCancelled }
        // The domain and code of `URLError` and `NSError`, which Linux has in full Foundation alone.
        return switch _code {
        case -999: _domain == "NSURLErrorDomain"
        case CocoaError.Code.userCancelled.rawValue: _domain == "NSCocoaErrorDomain"
        default: false
        }
    }
}

extension Error {
    /// The domain and the code that `NSError` shows, which Linux has in full Foundation alone.
    package var domainAndCode: String {
        if !(type(of: self) is AnyClass) {
            if let error = self as? CocoaError { return "NSCocoaErrorDomain \(error.code.rawValue)" }
            if let error = self as? POSIXError { return "NSPOSIXErrorDomain \(error.code.rawValue)" }
        }
        return "\(_domain) \(_code)"
    }

    /// Whether the type belongs to Foundation, whose descriptions contain whole addresses and paths. So do those of subclasses of `NSError`.
    package var isOfFoundation: Bool {
        guard type(of: self) is AnyClass else { return Self.isOfFoundation(type(of: self)) }
        return sequence(first: Mirror(reflecting: self)) { $0.superclassMirror }.contains { Self.isOfFoundation($0.subjectType) }
    }

    private static func isOfFoundation(_ type: Any.Type) -> Bool {
        let module = String(reflecting: type).prefix { $0 != "." }
        return ["Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML"].contains(String(module))
    }
}
