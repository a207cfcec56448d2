import CatenaTesting
import Foundation

@testable import Catena

/// Runs one case with a client that has an empty cache.
struct CacheSuiteCase {
    /// A failed expectation of a case.
    struct Fault: Error { let text: String }

    /// A response as the client received it. Its status is `nil` if the call failed.
    private struct Answer {
        var status: Int?
        var headers: HTTPHeaders = [:]
        var body = ""
    }

    static let usualBody = "the body of a case"

    private let test: CacheSuite.Case
    private let day = CacheCallTests.Day()
    private let server: CacheSuiteServer
    private let client: Client

    init(_ test: CacheSuite.Case) {
        self.test = test
        server = CacheSuiteServer(test.requests) { [day] in day.date }
        client = Client(transport: server, timers: VirtualClock(), random: { 1 }, date: { [day] in day.date })
        client.configureDefaults { defaults in
            defaults.host = "https://cache.test"
            defaults.envelope = .raw
            defaults.cache = .memory(limit: 1_000_000)
            defaults.retry = .never
            defaults.requestKeyRules = RequestKeyRules()
            defaults.requestKeyRules?.volatileHeaders.formUnion([CacheSuiteServer.step.lowercased()])
        }
    }

    /// Runs the requests of the case and throws its first failed expectation.
    func run() async throws {
        var answers: [Answer] = []
        for (place, step) in test.requests.enumerated() {
            let answer = try await answer(to: step, number: place + 1, after: answers.last)
            try check(answer, step, number: place + 1)
            answers.append(answer)
            // The suite waits for three seconds.
            if step.pause_after == true { day.pass(3) }
            await client.waitUntilIdle()
        }
        try checkServer(answers)
    }

    private func answer(to step: CacheSuite.Step, number: Int, after last: Answer?) async throws -> Answer {
        var path = "/test/" + test.id
        if let filename = step.filename { path += "/" + filename }
        if let query = step.query_arg { path += "?" + query }
        var request = client.request.method(HTTPMethod(step.request_method ?? "GET")).path(path).header(
            CacheSuiteServer.step, String(number))
        for field in step.request_headers ?? [] {
            // Dates are relative to the time of the last response.
            request = request.header(field.name, CacheSuiteServer.value(of: field, in: step, at: day.date, base: ""))
        }
        // A browser sends this header in the mode "no-cache".
        if step.cache == "no-cache" { request = request.header("Cache-Control", "max-age=0") }
        if let body = step.request_body { request = request.body(Data(body.utf8), contentType: "text/plain") }
        do {
            let response = try await Pipeline.run(CallRun(request), until: KnownResponseMode(target: ResultDecoder<Data>.data))
            return Answer(status: response.status, headers: response.headers, body: String(decoding: response.payload, as: UTF8.self))
        } catch let error as APIError {
            guard let response = error.response else { return Answer() }
            return Answer(status: response.status, headers: response.headers, body: String(decoding: error.body ?? Data(), as: UTF8.self))
        }
    }

    private func check(_ answer: Answer, _ step: CacheSuite.Step, number: Int) throws {
        let count = answer.headers["Server-Request-Count"].flatMap { Int($0) }
        try expect(answer.status != nil, "response \(number) is none")
        if step.expected_type == "cached" { try expect((count ?? .max) < number, "response \(number) is not from the cache") }
        if step.expected_type == "not_cached" { try expect(count == number, "response \(number) is from the cache") }
        try expect(
            answer.status == step.expected_status ?? step.response_status?.code ?? 200,
            "response \(number) has the status \(answer.status ?? 0)")
        for field in step.expected_response_headers ?? [] {
            let value = answer.headers.values(for: field.name).joined(separator: ", ")
            try expect(answer.headers.contains(field.name), "response \(number) has no \(field.name)")
            if field.values.count == 2, case .text("=") = field.values[0], case .text(let other) = field.values[1] {
                try expect(value == answer.headers[other], "response \(number) has \(field.name): \(value)")
            } else if field.values.count == 2, case .number(let least) = field.values[1] {
                try expect((Int(value) ?? 0) > least, "response \(number) has \(field.name): \(value)")
            } else if case .number = field.values.first {
                // The date was computed at the first request.
                try expect(value == first(field.name), "response \(number) has \(field.name): \(value)")
            } else if case .text(let text)? = field.values.first {
                try expect(value == text, "response \(number) has \(field.name): \(value)")
            }
        }
        for field in step.expected_response_headers_missing ?? [] {
            if case .text(let text)? = field.values.first {
                try expect(answer.headers[field.name]?.contains(text) != true, "response \(number) has \(field.name): \(text)")
            } else {
                try expect(!answer.headers.contains(field.name), "response \(number) has \(field.name)")
            }
        }
        guard step.check_body != false, step.request_method != "HEAD", answer.status != 204 else { return }
        try expect(
            answer.body == step.expected_response_text ?? step.response_body ?? Self.usualBody,
            "response \(number) has the body \(answer.body)")
    }

    private func first(_ header: String) -> String? { server.exchanges.first?.checked[header] }

    private func checkServer(_ answers: [Answer]) throws {
        var exchanges = server.exchanges[...]
        for (step, answer) in zip(test.requests, answers) where step.expected_type != "cached" {
            guard let exchange = exchanges.popFirst() else {
                try expect(step.expected_type == nil, "the server has seen too few requests")
                return
            }
            let request = exchange.request
            if step.expected_type == "etag_validated" { try expect(request.headers.contains("If-None-Match"), "no If-None-Match") }
            if step.expected_type == "lm_validated" { try expect(request.headers.contains("If-Modified-Since"), "no If-Modified-Since") }
            for field in step.expected_request_headers ?? [] {
                guard case .text(let text)? = field.values.first else {
                    try expect(request.headers.contains(field.name), "the request has no \(field.name)")
                    continue
                }
                try expect(request.headers[field.name] == text, "the request has not \(field.name): \(text)")
            }
            for field in step.expected_request_headers_missing ?? [] {
                guard case .text(let text)? = field.values.first else {
                    try expect(!request.headers.contains(field.name), "the request has \(field.name)")
                    continue
                }
                try expect(request.headers[field.name] != text, "the request has \(field.name): \(text)")
            }
            if let method = step.expected_method { try expect(request.method.name == method, "the method is \(request.method)") }
            for field in exchange.checked.fields where !sameHeaderName(field.name, "Date") {
                let told = answer.headers.values(for: field.name).joined(separator: ", ")
                let sent = exchange.checked.values(for: field.name).joined(separator: ", ")
                try expect(told == sent, "\(field.name) is \(told) and not \(sent)")
            }
        }
    }

    private func expect(_ isSo: Bool, _ text: String) throws {
        guard isSo else { throw Fault(text: text) }
    }
}
