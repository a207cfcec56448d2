// Terminals for calls without a value. `Void` is not `Decodable`, so without these declarations compiler errors would mention `JSON` and
// `Decodable`.
extension Request {
    /// Unavailable. For calls without a value, use ``void(file:line:)``.
    @available(*, unavailable, message: "where no value is wanted, call void()")
    @_disfavoredOverload
    public func execute(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        void(file: file, line: line)
    }

    /// Unavailable. For calls without a value, use ``void(file:line:)``.
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
