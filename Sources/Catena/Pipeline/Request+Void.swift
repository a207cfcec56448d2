// What is asked of a call for which no value is wanted. Nothing decodes to `Void`, so without these the compiler speaks of `JSON` and
// `Decodable`.
extension Request {
    /// Not there: where no value is wanted, call ``void(file:line:)``.
    @available(*, unavailable, message: "where no value is wanted, call void()")
    @_disfavoredOverload
    public func execute(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        void(file: file, line: line)
    }

    /// Not there: where no value is wanted, call ``void(file:line:)``.
    @available(*, unavailable, message: "where no value is wanted, call void()")
    public func execute(as type: Void.Type, file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        void(file: file, line: line)
    }

    /// Not there: where no value is wanted, await ``void()``.
    @available(*, unavailable, message: "where no value is wanted, await void()")
    @_disfavoredOverload
    public func value() async throws {
        try await void()
    }

    /// Not there: where no value is wanted, await ``void()``.
    @available(*, unavailable, message: "where no value is wanted, await void()")
    public func value(as type: Void.Type) async throws {
        try await void()
    }
}
