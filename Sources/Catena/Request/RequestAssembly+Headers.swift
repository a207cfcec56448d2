// What the request says about itself.
extension RequestAssembly {
    func mergedHeaders(contentType: String?, address: HTTPAddress) throws -> HTTPHeaders {
        var headers = profile.headers
        if request.options.commonHeaders != CommonHeaders.none, mayReceiveCommonHeaders(address) {
            headers.merge(common.headers)
        }
        headers.merge(request.headers.set)
        for name in request.headers.removed { headers.remove(name) }
        for field in request.headers.added.fields { headers.add(field.value, for: field.name) }
        if let contentType, !headers.contains("Content-Type") { headers.add(contentType, for: "Content-Type") }
        do throws(HeaderRules.Fault) {
            try HeaderRules.checkSingle(headers)
            var checked: [HTTPHeaders.Field] = []
            checked.reserveCapacity(headers.count)
            for field in headers.fields { checked.append(try HeaderRules.checked(field)) }
            return HTTPHeaders(checked)
        } catch {
            throw APIError.invalid(step(of: error.name), "\"\(error.printableName)\": \(error.reason)")
        }
    }

    /// Common headers carry credentials, which are bound to the origin that they were made for.
    func mayReceiveCommonHeaders(_ address: HTTPAddress) -> Bool {
        guard request.location.absolute != nil, case .success(let host) = profile.address else { return true }
        return host.origin == address.origin
    }

    func step(of name: String) -> String {
        if request.headers.set.contains(name) { return "header" }
        if request.headers.added.contains(name) { return "addHeader" }
        if common.headers.contains(name) { return "commonHeaders" }
        return profile.headers.contains(name) ? "configure" : "header"
    }
}
