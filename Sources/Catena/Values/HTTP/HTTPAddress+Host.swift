import CatenaPlatform

extension HTTPAddress {
    /// Parses the text between the scheme and the path (RFC 3986 §3.2).
    static func hostAndPort(_ text: Scalars) throws(Fault) -> (host: String, port: Int?) {
        guard !text.contains("@") else { throw Fault(reason: "it contains user information") }
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else { throw Fault(reason: "the bracket of the IPv6 address is not closed") }
            let address = try internetAddress(text[..<close].dropFirst())
            return ("[\(address)]", try port(text[close...].dropFirst()))
        }
        let name = text.prefix { $0 != ":" }
        return (try hostName(name), try port(text[name.endIndex...]))
    }

    private static func port(_ text: Scalars) throws(Fault) -> Int? {
        guard let first = text.first else { return nil }
        guard first == ":" else { throw Fault(reason: "\"\(String(text))\" follows the host") }
        let digits = text.dropFirst()
        if digits.isEmpty { return nil }
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = Int(String(digits)), (1...65535).contains(port) else {
            throw Fault(reason: "\"\(String(digits))\" is not a port")
        }
        return port
    }

    /// Returns an IPv6 address in its canonical form (RFC 5952), so that all spellings are one origin. Its zone is kept as written (RFC
    /// 6874).
    private static func internetAddress(_ text: Scalars) throws(Fault) -> String {
        let digits = text.prefix { $0 != "%" }
        let zone = text[digits.endIndex...]
        var address = in6_addr()
        var shortest = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard zone.isEmpty || isZone(zone), inet_pton(AF_INET6, String(digits), &address) == 1,
            inet_ntop(AF_INET6, &address, &shortest, socklen_t(INET6_ADDRSTRLEN)) != nil
        else {
            throw Fault(reason: "\"\(String(text))\" is not an IPv6 address")
        }
        return String(decoding: shortest.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + String(zone)
    }

    private static func isZone(_ text: Scalars) -> Bool {
        text.count > 3 && text.starts(with: "%25".unicodeScalars) && text.dropFirst(3).allSatisfy { isHostScalar($0) }
    }

    private static func hostName(_ text: Scalars) throws(Fault) -> String {
        guard !text.isEmpty else { throw Fault(reason: "it has no host") }
        let fault = Fault(reason: "\"\(String(text))\" is not a host name")
        var name = String(text).lowercased()
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            // Foundation implements the rules of internationalized names, on Linux in a library that its essentials use if it is loaded.
            guard Internationalization.isLoaded else {
                throw Fault(
                    reason: """
                        "\(name)" has letters beyond ASCII, and libFoundationInternationalization.so is not there; write the name as xn--…
                        """)
            }
            guard let url = URL(string: "https://\(name)/") else { throw fault }
            name = url.absoluteString.dropFirst("https://".count).dropLast().lowercased()
        }
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // Remove the root label after a final dot (RFC 3986 §3.2.2).
        if labels.last == "" { labels.removeLast() }
        guard name.unicodeScalars.allSatisfy(isHostScalar), name.utf8.count <= 253, !labels.isEmpty,
            labels.allSatisfy({ (1...63).contains($0.utf8.count) })
        else { throw fault }
        return name
    }

    /// Returns whether a scalar is a letter, digit, hyphen, dot or underscore. These occur in real names; they are a subset of reg-name
    /// (RFC 3986 §3.2.2).
    private static func isHostScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "a"..."z", "A"..."Z", "-", ".", "_": true
        default: false
        }
    }
}

/// The library of Foundation that knows internationalized names.
private enum Internationalization {
    static let isLoaded: Bool = {
        #if !canImport(Darwin)
        // A program that is linked statically, or with full Foundation, may have it already. One that is linked statically does not use a
        // library that it loads.
        if isUsed { return true }
        return dlopen("libFoundationInternationalization.so", RTLD_NOW) != nil && isUsed
        #else
        true
        #endif
    }()

    #if !canImport(Darwin)
    private static var isUsed: Bool { URL(string: "https://b\u{FC}cher.example")?.absoluteString.contains("xn--") == true }
    #endif
}
