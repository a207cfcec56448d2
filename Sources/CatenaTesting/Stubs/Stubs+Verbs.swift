public import Catena

// Beside another argument the compiler prefers `String` for a literal, whatever is disfavoured; so those texts are any `StringProtocol`.
extension Stubs {
    /// Begins a stub for a method and a path; `nil` matches every method. See ``Stub``.
    public func on(_ method: HTTPMethod?, _ path: Path, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        Stub(stubs: self, target: StubTarget(method, path), place: Place(file, line))
    }

    /// Begins a stub for a method, or every method if `nil`, and a path, a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    public func on(_ method: HTTPMethod?, _ path: some StringProtocol, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(method, Path(String(path)), file: file, line: line)
    }

    /// Begins a stub for GET.
    public func get(_ path: Path, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.get, path, file: file, line: line)
    }

    /// Begins a stub for GET from a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    public func get(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        get(Path(path), file: file, line: line)
    }

    /// Begins a stub for POST.
    public func post(_ path: Path, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.post, path, file: file, line: line)
    }

    /// Begins a stub for POST from a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    public func post(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        post(Path(path), file: file, line: line)
    }

    /// Begins a stub for PUT.
    public func put(_ path: Path, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.put, path, file: file, line: line)
    }

    /// Begins a stub for PUT from a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    public func put(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        put(Path(path), file: file, line: line)
    }

    /// Begins a stub for PATCH.
    public func patch(_ path: Path, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.patch, path, file: file, line: line)
    }

    /// Begins a stub for PATCH from a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    public func patch(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        patch(Path(path), file: file, line: line)
    }

    /// Begins a stub for DELETE.
    public func delete(_ path: Path, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.delete, path, file: file, line: line)
    }

    /// Begins a stub for DELETE from a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    public func delete(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        delete(Path(path), file: file, line: line)
    }

    /// Begins a stub for HEAD.
    public func head(_ path: Path, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.head, path, file: file, line: line)
    }

    /// Begins a stub for HEAD from a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    public func head(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        head(Path(path), file: file, line: line)
    }

    /// Begins a stub for OPTIONS.
    public func options(_ path: Path, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        on(.options, path, file: file, line: line)
    }

    /// Begins a stub for OPTIONS from a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    public func options(_ path: String, file: StaticString = #fileID, line: UInt = #line) -> Stub {
        options(Path(path), file: file, line: line)
    }
}
