import Foundation

@testable import Catena

extension FuzzTarget {
    /// Addresses, references and links. A parsed address parses again as itself, and Foundation agrees. A reference never carries a credential, and only
    /// leads to http and https.
    static let addresses = FuzzTarget(
        "addresses",
        seeds: [
            "https://forum.example.com/v1/rooms?q=a b#x\n../a/./b?c=d", "forum.example.com:8080\n//other.example/%2e%2E/x",
            "HTTP://[2001:DB8::1%25eth0]:80/é?%zz\nhttps://ann:pw@host/",
            "https://bücher.example./a//b/../..\n<https://a.example/?p=2>; rel=\"next\", <b>; rel=prev",
            "http://127.0.0.1:65535/?\n?x", "localhost:1/{id}/{name}\nmailto:a@b", "https://a_b.example\nhttp:\\\\x\\@y",
        ],
        stepsPerByte: 2500
    ) { input in
        var input = FuzzInput(input)
        let text = input.line()
        let reference = input.line()
        checkLinks([reference, text])
        checkTemplate(text)
        guard let address = try? HTTPAddress(parsing: text) else { return }
        check(address)
        guard let resolved = try? address.resolving(reference) else { return }
        check(resolved)
        expect((try? address.resolving(resolved.text)) == resolved, "\(reference) leads to \(resolved.text), and from there elsewhere")
        checkRedirect(from: address, to: reference, resolved)
    }

    private static func check(_ address: HTTPAddress) {
        let text = address.text
        expect(
            (try? HTTPAddress(parsing: text)) == address, "\(text) is read again as \((try? HTTPAddress(parsing: text))?.text ?? "none")")
        expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(text) has what no address may have")
        expect(["http", "https"].contains(address.scheme) && address.path.hasPrefix("/") && !address.host.contains("@"), text)
        let segments = address.path.split(separator: "/").map { $0.replacing("%2E", with: ".").replacing("%2e", with: ".") }
        expect(!segments.contains(".") && !segments.contains(".."), "\(address.path) has a step back")
        guard let url = URL(string: text) else { return expect(false, "to Foundation \(text) is no address") }
        let host = url.host() ?? ""
        let isSame = host.lowercased() == address.host || "[\(host.lowercased())]" == address.host || address.host.contains("%")
        expect(isSame && url.user() == nil && url.port == address.port, "\(text) leads to \(host) for Foundation")
        expect(Redaction.standard.redact(address).hasPrefix(address.origin), "\(text) is shown as \(Redaction.standard.redact(address))")
    }

    private static func checkRedirect(from address: HTTPAddress, to reference: String, _ resolved: HTTPAddress) {
        let headers: HTTPHeaders = ["Authorization": "Bearer x", "Cookie": "a=b", "X-Own": "1", "Accept": "*/*"]
        let request = HTTPRequest(method: .get, address: address, headers: headers)
        let response = HTTPResponse(status: 302, headers: ["Location": reference], address: address)
        guard let next = try? RedirectRules.next(after: response, to: request) else { return }
        expect(next.address == resolved, "\(reference) is followed to \(next.address.text)")
        let keeps = next.address.origin == address.origin
        expect(
            keeps ? next.headers == headers : next.headers.fields.map(\.name) == ["Accept"],
            "\(next.headers.fields) go to \(next.address.text)")
        expect(address.scheme == "http" || next.address.scheme == "https", "from https to http")
    }

    private static func checkLinks(_ values: [String]) {
        guard let link = LinkHeader.next(in: values) else { return }
        expect(values.contains { $0.contains("<\(link)>") }, "\(link) is in none of \(values)")
    }

    private static func checkTemplate(_ path: String) {
        let value = "a/b?c#d%.."
        guard let filled = try? PathTemplate.fill(path, style: ParameterStyle(), value: { _ in .string(value) }) else { return }
        let encoded = PercentEncoding.segment.encode(value)
        // Compare bytes, because a combining mark behind the value changes its last character.
        let isFilled = Data(filled.utf8).range(of: Data(encoded.utf8)) != nil
        expect(filled == path || isFilled, "\(path) is filled to \(filled)")
        expect(PercentDecoding.decode(encoded, plusIsSpace: false) == value, "\(value) is written as \(encoded)")
        let text = PercentEncoding.query.encode(path)
        expect(PercentDecoding.decode(text, plusIsSpace: true) == path, "\(path) is written as \(text)")
    }
}
