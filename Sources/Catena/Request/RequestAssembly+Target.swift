// Where the request goes.
extension RequestAssembly {
    mutating func target() throws -> HTTPAddress {
        if let absolute = request.location.absolute {
            return try RequestAssembly.address(absolute, step: "absoluteURL")
        }
        var address = try host()
        guard let path = try filledPath() else { return address }
        try append(path, to: &address)
        return address
    }

    func host() throws -> HTTPAddress {
        if let host = request.location.host {
            return try RequestAssembly.address(host, step: "host")
        }
        switch profile.address {
        case .success(let address): return address
        case .failure(let fault): throw APIError.invalid("host", "the configured host is not an address: \(fault.reason)")
        case nil:
            let place = request.tag.map { "API.configure(\"\($0)\")" } ?? "API.configureDefaults"
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
        let location = request.location
        guard location.path != nil || !location.segments.isEmpty else { return nil }
        var path = location.path ?? ""
        if path.utf8.contains(0x7B) {
            var used: [String] = []
            do throws(PathTemplate.Fault) {
                path = try PathTemplate.fill(path, style: style) { name in
                    used.append(name)
                    return (own[name] ?? shared[name])?.parameterNode
                }
            } catch {
                throw APIError.invalid("path", "{\(error.name)}: \(error.reason)")
            }
            for name in used {
                own.remove(name)
                shared.remove(name)
            }
        }
        guard !location.segments.isEmpty else { return path }
        var (head, query) = (path[...], Substring())
        if let mark = path.firstIndex(of: "?") { (head, query) = (path[..<mark], path[mark...]) }
        var text = head.hasSuffix("/") ? String(head.dropLast()) : String(head)
        for (index, segment) in location.segments.enumerated() {
            do throws(PathTemplate.Fault) {
                text += "/" + (try PathTemplate.segment(segment, name: "segment \(index + 1)", style: style))
            } catch {
                throw APIError.invalid("segments", "\(error.name): \(error.reason)")
            }
        }
        return text + query
    }

    /// Appends a path to the host's own; whatever it says, scheme, host and port stay what they are.
    func append(_ path: String, to address: inout HTTPAddress) throws {
        let utf8 = path.utf8
        guard utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw APIError.invalid("path", "it contains a control character")
        }
        if path.hasPrefix("//") || path.hasPrefix("/\\") || path.hasPrefix("\\") || namesScheme(path) {
            throw APIError.invalid("path", "it would lead to another host; use .host(…) or .absoluteURL(…) for that")
        }
        var part = path[...]
        if let fragment = part.utf8.firstIndex(of: 0x23) { part = part[..<fragment] }
        if let mark = part.utf8.firstIndex(of: 0x3F) {
            let query = part[part.index(after: mark)...]
            address.query = PercentEncoding.queryText.encode(String(query))
            part = part[..<mark]
        }
        guard !part.isEmpty else { return }
        let encoded = PercentEncoding.path.encode(String(part))
        if address.path.utf8.last == 0x2F {
            address.path += encoded.utf8.first == 0x2F ? String(encoded.dropFirst()) : encoded
        } else {
            address.path += encoded.utf8.first == 0x2F ? encoded : "/" + encoded
        }
    }

    func namesScheme(_ path: String) -> Bool {
        guard let colon = path.utf8.firstIndex(of: 0x3A), path[colon...].hasPrefix("://") else { return false }
        return path[..<colon].utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
            default: false
            }
        }
    }
}
