extension HTTPRequest {
    /// Changes this request in the same way in which `changed` was made of `original`.
    func changed(as changed: HTTPRequest, was original: HTTPRequest) -> HTTPRequest {
        var request = self
        if changed.method != original.method { request.method = changed.method }
        if changed.address != original.address { request.address = changed.address }
        if changed.body != original.body || changed.bodySource != original.bodySource {
            request.body = changed.body
            request.bodySource = changed.bodySource
        }
        request.headers.change(as: changed.headers, was: original.headers)
        return request
    }
}

extension HTTPHeaders {
    /// Changes these headers in the same way in which `changed` were made of `original`.
    mutating func change(as changed: HTTPHeaders, was original: HTTPHeaders) {
        guard changed != original else { return }
        for name in (original.fields + changed.fields).map(\.name) {
            let values = changed.values(for: name)
            if values != original.values(for: name) { replace(name, with: values) }
        }
    }

    /// Gives a header these values in place of its own.
    mutating func replace(_ name: String, with values: [String]) {
        remove(name)
        for value in values { add(value, for: name) }
    }
}
