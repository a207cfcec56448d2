import Foundation

extension Error {
    /// Whether the error means that work was cancelled and has not failed: a `CancellationError`, or the error of Foundation or of Catena for it.
    @usableFromInline
    package var isCancellation: Bool {
        if self is CancellationError { return true }
        if let error = self as? any PossibleCancellation { return error.meansCancellation }
        if let error = self as? URLError { return error.code == .cancelled }
        // On Linux an error of this type is no `URLError`, whatever its domain is, but any such error casts to `CocoaError`.
        guard type(of: self) is NSError.Type else { return (self as? CocoaError)?.code == .userCancelled }
        let error = self as NSError
        return error.domain == NSURLErrorDomain && error.code == NSURLErrorCancelled
            || error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.userCancelled.rawValue
    }
}
