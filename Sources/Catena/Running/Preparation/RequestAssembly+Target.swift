// Builds the address.
extension RequestAssembly {
    mutating func target() throws -> HTTPAddress {
        if let reference = run.request.location.reference { return try target(of: reference) }
        if let absolute = run.request.location.absolute {
            return try RequestAssembly.address(absolute, step: "absoluteURL")
        }
        // Checked before the host, because without a host the error about the whole address in its place is more helpful.
        if let path = run.request.location.path, namesScheme(path) { throw wholeAddress }
        var address = try host()
        guard let path = try filledPath() else { return address }
        try append(path, to: &address)
        return address
    }

    func host() throws -> HTTPAddress {
        if let host = run.request.location.host {
            return try RequestAssembly.address(host, step: "host")
        }
        switch run.backendAddress {
        case .success(let address): return address
        case .failure(let fault): throw APIError.invalid("host", fault.reason)
        case nil:
            let place = run.request.tag.map { "API.configure(\"\($0)\")" } ?? "API.configureDefaults"
            throw APIError.invalid("host", "there is none; set one with .host(…) or in \(place)")
        }
    }

    static func address(_ text: String, step: String) throws -> HTTPAddress {
        do throws(HTTPAddress.Fault) {
            return try HTTPAddress(parsing: text)
        } catch {
            throw APIError.invalid(step, error.reason)
        }
    }

    mutating func filledPath() throws -> String? {
        guard run.request.location.isPlain else { return try filledPathOfValues() }
        // Without a copy of the location, which nearly every path would pay for.
        return try run.request.location.path.map { try filled($0) }
    }

    /// The path without its fragment, and with values for its names.
    private mutating func filled(_ text: String) throws -> String {
        var path = text
        // A fragment is never sent (RFC 9110 §4.2.5).
        if let fragment = path.utf8.firstIndex(of: UInt8(ascii: "#")) { path = String(path[..<fragment]) }
        return path.utf8.contains(UInt8(ascii: "{")) ? try fillTemplate(path) : path
    }

    @inline(never)
    private mutating func filledPathOfValues() throws -> String? {
        try path(of: run.request.location).map { try filled($0) }
    }

    /// The path with the values that a literal interpolates; names are not filled yet.
    private func path(of location: Location) throws -> String? {
        do throws(PathTemplate.Fault) {
            return try location.path(in: style)
        } catch {
            throw APIError.invalid("path", "\(error.name): \(error.reason)")
        }
    }

    /// Fills the names of a path from the params, and removes these params.
    mutating func fillTemplate(_ path: String, leavesOutMissing: Bool = false) throws -> String {
        var used: [String] = []
        let filled: String
        do throws(PathTemplate.Fault) {
            filled = try PathTemplate.fill(path, style: style, leavesOutMissing: leavesOutMissing) { name in
                used.append(name)
                return (callParams[name] ?? inheritedParams[name])?.parameterNode
            }
        } catch {
            throw APIError.invalid("path", "{\(error.name)}: \(error.reason)")
        }
        for name in used {
            noteSecret(name)
            callParams.remove(name)
            inheritedParams.remove(name)
        }
        return filled
    }

    /// Records the value of a secret param in the path, where it can no longer be recognized by its name.
    private mutating func noteSecret(_ name: String) {
        guard profile.redaction.isSecret(param: name), let node = (callParams[name] ?? inheritedParams[name])?.parameterNode,
            let text = try? PathTemplate.segment(node, name: name, style: style)
        else { return }
        secretParts.append(text)
    }

    /// Appends a path to that of the host. No path can change the scheme, host, port or path of the host.
    func append(_ path: String, to address: inout HTTPAddress) throws {
        guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw APIError.invalid("path", "it contains a control character")
        }
        if namesScheme(path) { throw wholeAddress }
        if leadsElsewhere(path) { throw APIError.invalid("path", "it would lead to another host; use .host(…) for that") }
        let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
        if mark != path.endIndex {
            let query = PercentEncoding.queryText.encode(String(path[mark...].unicodeScalars.dropFirst()))
            address.query = address.query.map { $0 + "&" + query } ?? query
        }
        guard mark != path.startIndex else { return }
        var encoded = PercentEncoding.path.encode(mark == path.endIndex ? path : String(path[..<mark]))
        if encoded.utf8.first != UInt8(ascii: "/") { encoded = "/" + encoded }
        // Removed before the path is appended, so that `..` cannot leave the host's own path either.
        encoded = HTTPAddress.removingDotSegments(from: encoded)
        guard address.path != "/" else { return address.path = encoded }
        if address.path.utf8.last == UInt8(ascii: "/") { address.path.removeLast() }
        address.path += encoded
    }

    private var wholeAddress: APIError {
        .invalid("path", "it is a whole address; use .absoluteURL(…) for that, or .host(…) and a path")
    }

    /// Returns whether a URL parser could read a host from the path. A backslash counts, because some parsers treat it as a slash
    /// (WHATWG URL §4.4).
    func leadsElsewhere(_ path: String) -> Bool {
        var bytes = path.utf8.makeIterator()
        switch bytes.next() {
        case UInt8(ascii: "/"):
            let second = bytes.next()
            return second == UInt8(ascii: "/") || second == UInt8(ascii: "\\")
        case UInt8(ascii: "\\"): return true
        default: return namesScheme(path)
        }
    }

    private func namesScheme(_ path: String) -> Bool {
        guard let name = HTTPAddress.schemeName(of: path.unicodeScalars[...]) else { return false }
        return path.unicodeScalars[name.endIndex...].starts(with: "://".unicodeScalars)
    }
}

// Builds the address of a request whose path is a reference, which is resolved like a link and not appended.
extension RequestAssembly {
    mutating func target(of link: PathReference) throws -> HTTPAddress {
        let location = run.request.location
        if let absolute = location.absolute {
            return try RequestAssembly.address(try fillTemplate(absolute, leavesOutMissing: true), step: link.source)
        }
        guard let path = try path(of: location) else {
            throw APIError.invalid("path", "\(link.source) has no \"Path\"")
        }
        let reference = link.prefix + (try fillTemplate(path, leavesOutMissing: true))
        if leadsElsewhere(reference) { throw leadsElsewhere(link, path) }
        let home = try host()
        var address = home
        if !reference.isEmpty {
            do throws(HTTPAddress.Fault) {
                address = try home.resolving(reference)
            } catch {
                throw APIError.invalid("path", "\(link.source): \(error.reason)")
            }
        }
        // Compared after resolving, because no look at the text of a reference knows all ways in which it can name a host.
        guard address.origin == home.origin else { throw leadsElsewhere(link, path) }
        return address
    }

    private func leadsElsewhere(_ link: PathReference, _ path: String) -> APIError {
        .invalid("path", "\(link.source) would lead to another host by \"\(path)\"; use a whole address")
    }
}
