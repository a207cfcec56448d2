import Foundation

@testable import Catena

/// The server of one case. It answers each request with the response of the request's step.
final class CacheSuiteServer: Transport {
    /// A request that the server received, with the response headers that the client has to receive.
    struct Exchange {
        let step: Int
        let request: HTTPRequest
        let checked: HTTPHeaders
    }

    /// The request header with the number of the step.
    static let step = "Req-Num"

    private let steps: [CacheSuite.Step]
    private let date: @Sendable () -> Date
    private let seen = Mutex<[Exchange]>([])

    init(_ steps: [CacheSuite.Step], date: @escaping @Sendable () -> Date) {
        self.steps = steps
        self.date = date
    }

    var exchanges: [Exchange] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        guard let number = request.headers[Self.step].flatMap({ Int($0) }), steps.indices.contains(number - 1) else {
            throw APIError(.other, message: "a request of no step")
        }
        let step = steps[number - 1]
        var headers: HTTPHeaders = ["Server-Base-Url": request.address.path]
        var checked: HTTPHeaders = [:]
        for field in step.response_headers ?? [] {
            let value = Self.value(of: field, in: step, at: date(), base: request.address.path)
            headers.add(value, for: field.name)
            if field.isChecked { checked.add(value, for: field.name) }
        }
        if !headers.contains("Date") { headers["Date"] = Self.date(date(), isOld: false) }
        if !headers.contains("Content-Type") { headers["Content-Type"] = "text/plain" }
        let exchange = Exchange(step: number, request: request, checked: checked)
        let numbers = seen.withLock { seen in
            seen.append(exchange)
            return seen.map(\.step)
        }
        if step.disconnect == true { throw APIError(.connectionLost) }
        headers["Server-Request-Count"] = String(numbers.count)
        headers["Client-Request-Count"] = String(number)
        headers["Request-Numbers"] = numbers.map(String.init).joined(separator: " ")
        let status = status(of: step, after: number > 1 ? steps[number - 2] : nil, request)
        let body = [204, 304].contains(status) ? "" : step.response_body ?? CacheSuiteCase.usualBody
        return TransportResponse(status: status, headers: headers, body: TransportBody(Data(body.utf8)))
    }

    private func status(of step: CacheSuite.Step, after former: CacheSuite.Step?, _ request: HTTPRequest) -> Int {
        guard step.isValidated else { return step.response_status?.code ?? 200 }
        func holds(_ condition: String, _ validator: String) -> Bool {
            let value = former?.response_headers?.last { sameHeaderName($0.name, validator) }
            guard case .text(let text)? = value?.values.first else { return false }
            return request.headers[condition] == text
        }
        // A request without the expected condition receives a status that no case expects.
        return holds("If-None-Match", "ETag") || holds("If-Modified-Since", "Last-Modified") ? 304 : 999
    }

    static func value(of field: CacheSuite.Field, in step: CacheSuite.Step, at now: Date, base: String) -> String {
        let name = field.name.lowercased()
        switch field.values.first {
        case .number(let seconds) where ["date", "expires", "last-modified", "if-modified-since"].contains(name):
            return date(now.addingTimeInterval(Double(seconds)), isOld: step.rfc850date?.contains(name) == true)
        case .number(let number): return String(number)
        case .text(let text) where step.magic_locations == true && ["location", "content-location"].contains(name):
            return text.isEmpty ? base : base + "/" + text
        case .text(let text): return text
        case nil: return ""
        }
    }

    private static func date(_ date: Date, isOld: Bool) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = isOld ? "EEEE, dd-MMM-yy HH:mm:ss 'GMT'" : "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
