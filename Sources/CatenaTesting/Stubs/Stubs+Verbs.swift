public import Catena

extension Stubs {
    /// Begins a stub for a method and a path; `nil` matches every method. See ``Stub``.
    public func on(_ method: HTTPMethod?, _ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        Stub(stubs: self, target: StubTarget(method, path), place: Place(file, line))
    }

    /// Begins a stub for GET.
    public func get(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.get, path, file: file, line: line)
    }

    /// Begins a stub for POST.
    public func post(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.post, path, file: file, line: line)
    }

    /// Begins a stub for PUT.
    public func put(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.put, path, file: file, line: line)
    }

    /// Begins a stub for PATCH.
    public func patch(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.patch, path, file: file, line: line)
    }

    /// Begins a stub for DELETE.
    public func delete(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.delete, path, file: file, line: line)
    }

    /// Begins a stub for HEAD.
    public func head(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.head, path, file: file, line: line)
    }

    /// Begins a stub for OPTIONS.
    public func options(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.options, path, file: file, line: line)
    }
}
