// The names of the product CatenaArchive, for apps that do not import it. For apps that do, the compiler prefers those of the product.

/// Recorder of calls, in the product CatenaArchive.
@available(*, unavailable, message: "Add the product CatenaArchive to the target, and `import CatenaArchive`.")
public final class HARRecorder: Sendable {
    /// Creates nothing, because the product CatenaArchive has the recorder.
    @_alwaysEmitIntoClient
    public init(limit: Int = 1000) {}
}

extension API {
    /// Records calls, in the product CatenaArchive.
    @available(*, unavailable, message: "Add the product CatenaArchive to the target, and `import CatenaArchive`.")
    @_alwaysEmitIntoClient
    @discardableResult public static func record(into recorder: HARRecorder) -> Registration { Registration {} }
}

extension Client {
    /// Records calls, in the product CatenaArchive.
    @available(*, unavailable, message: "Add the product CatenaArchive to the target, and `import CatenaArchive`.")
    @_alwaysEmitIntoClient
    @discardableResult public func record(into recorder: HARRecorder) -> Registration { Registration {} }
}
