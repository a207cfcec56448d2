import Foundation

@testable import Catena
@testable import CatenaInspector
@testable import CatenaLoopback

extension FuzzTarget {
    private static let port = 8642

    /// Requests to an inspector. Only its own host and page are answered, only the key and the code open it, and a proof shows neither.
    static let proofs = FuzzTarget(
        "proofs",
        seeds: [
            "/api/proof\nHost: 127.0.0.1:8642\nX-Inspector-Number: 77777777777777777777777777777777",
            "/api/hello\nHost: 127.0.0.1:8642\nX-Inspector-Key: KEY",
            "/api/open\nHost: 127.0.0.1:8642\nX-Inspector-Code: CODE", "http://127.0.0.1:8642/api/hello\nHost: 127.0.0.1:8642",
            "http://evil.example/\nHost: 127.0.0.1:8642", "/\nHost: evil.example", "/\nHost: 127.0.0.1:8642\nHost: 127.0.0.1:8642",
            "/api/hello\nHost: 127.0.0.1:8642\nOrigin: http://127.0.0.1:8642\nSec-Fetch-Site: same-origin\nX-Inspector-Key: KEY",
            "/api/hello\nHost: 127.0.0.1:8642\nOrigin: null\nX-Inspector-Key: KEY",
            "/\nHost: 127.0.0.1:8642\nX-Inspector-Key: KEY\nX-Inspector-Key: KEY",
        ],
        stepsPerByte: 4000
    ) { input in
        var input = FuzzInput(input)
        let secrets = InspectorSecrets(key: "planted-key-42", renewalIn: nil, port: port)
        let door = Doorkeeper(secrets: secrets, port: port, names: [])
        let target = input.line()
        var headers = HTTPHeaders()
        for line in input.lines().prefix(20) {
            let name = line.prefix { $0 != ":" }
            let value = line[name.endIndex...].dropFirst().trimmingCharacters(in: .whitespaces)
                .replacingOccurrences(of: "KEY", with: secrets.key).replacingOccurrences(of: "CODE", with: secrets.code)
            guard let field = try? HeaderRules.checked(HTTPHeaders.Field(name: String(name), value: value)) else { continue }
            headers.add(field.value, for: field.name)
        }
        let request = StubRequest(
            ServerRequest(
                method: .get, target: target, path: target, headers: headers, body: Data(), bodyLength: 0, head: Data(), connection: 1,
                isTLS: false))
        let own = "127.0.0.1:\(port)"
        if isAllowed({ try door.checkPlace(request) }) {
            expect(headers.values(for: "Host").map { $0.lowercased() } == [own], "the host \(headers.values(for: "Host"))")
            let isOwn = target.hasPrefix("/") || target.lowercased().hasPrefix("http://\(own)")
            expect(isOwn, "the target \(target)")
        }
        let isOwnPage = headers.values(for: "Origin").allSatisfy { $0.lowercased() == "http://" + (headers["Host"]?.lowercased() ?? "") }
        if let proofs = try? door.proofs(for: request) {
            expect(isOwnPage, "a proof for the page of \(headers.values(for: "Origin"))")
            guard case .bytes(let body) = proofs.content else { return expect(false, "a proof without a body") }
            let text = String(decoding: body, as: UTF8.self)
            expect(![secrets.key, secrets.code].contains { text.contains($0) }, "a proof shows a secret: \(text)")
        }
        // Before a page has used the key, after which the code is worthless.
        let isOpened = (try? door.key(for: request)) != nil
        expect(!isOpened || isOwnPage && headers["X-Inspector-Code"] == secrets.code, "opened by \(headers)")
        let isKeyAccepted = isAllowed { try door.checkKey(request) }
        expect(!isKeyAccepted || isOwnPage && headers.values(for: "X-Inspector-Key") == [secrets.key], "accepted: \(headers)")
    }

    private static func isAllowed(_ check: () throws -> Void) -> Bool { (try? check()) != nil }
}
