// Merges the headers.
extension RequestAssembly {
    func mergedHeaders(contentType: String?) throws -> HTTPHeaders {
        var headers = profile.headers
        if !run.takesCommonHeaders {
            headers = HTTPHeaders(headers.fields.filter { HeaderRules.portable.contains($0.name.lowercased()) })
        } else if run.configuration.commonHeaders != CommonHeaders.none {
            headers.merge(common.headers)
        }
        if let inherited = headers["Content-Type"], !isType(inherited, ofBodyOf: contentType) { headers.remove("Content-Type") }
        headers.merge(run.request.headerChanges.set)
        for name in run.request.headerChanges.removed { headers.remove(name) }
        for field in run.request.headerChanges.added.fields { headers.add(field.value, for: field.name) }
        if let contentType, run.request.body?.form != nil { try keepBoundary(of: contentType, in: &headers) }
        if let contentType, !headers.contains("Content-Type"), !run.request.headerChanges.removes("Content-Type") {
            headers.add(contentType, for: "Content-Type")
        }
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

    /// Adds the boundary to a content type set by the call, such as `multipart/mixed`, because a receiver cannot separate the parts without it.
    private func keepBoundary(of contentType: String, in headers: inout HTTPHeaders) throws {
        guard let own = headers["Content-Type"] else { return }
        guard own.lowercased().hasPrefix("multipart/") else {
            throw APIError.invalid(step(of: "Content-Type"), "\"Content-Type\": the body is a multipart one")
        }
        // The parameters of the call stay, such as `start` of RFC 2387.
        let kept = HeaderParameters(own).all.filter { $0.name != "boundary" }.map { name, value in
            "; \(name)=" + (HeaderRules.isToken(value) ? value : "\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"")
        }
        headers["Content-Type"] = String(own.prefix { $0 != ";" }) + kept.joined() + contentType.drop { $0 != ";" }
    }

    /// Returns whether an inherited media type may describe the body (RFC 9110 §8.3).
    private func isType(_ inherited: String, ofBodyOf contentType: String?) -> Bool {
        guard let contentType, run.request.body?.isOpaque != true else { return false }
        return Self.refines(inherited, contentType)
    }

    /// Returns whether a media type refines another one: `application/vnd.example+json` refines JSON.
    private static func refines(_ type: String, _ base: String) -> Bool {
        let subtype = base.split(separator: "/").last ?? ""
        return type.lowercased().contains(subtype.hasPrefix("x-www-form") ? "form-urlencoded" : subtype.replacing("x-", with: ""))
    }

    func step(of name: String) -> String {
        if run.request.headerChanges.set.contains(name) || run.request.headerChanges.added.contains(name) { return "header" }
        if common.headers.contains(name) { return "commonHeaders" }
        return profile.headers.contains(name) ? "configure" : run.request.body?.step ?? "header"
    }
}
