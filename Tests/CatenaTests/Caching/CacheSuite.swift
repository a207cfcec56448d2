import Foundation

/// A suite of cases about caches, as its export to JSON writes it: a list of groups, each with a list of cases.
struct CacheSuite: Decodable {
    struct Group: Decodable { let tests: [Case] }

    /// Requests that one client makes, one after the other, and what is expected of their responses.
    struct Case: Decodable {
        let id: String
        let kind: String?
        let browser_skip: Bool?
        let cdn_only: Bool?
        let requests: [Step]

        /// Whether a cache of one user has to pass it.
        var isRequired: Bool { (kind ?? "required") == "required" && browser_skip != true && cdn_only != true }
    }

    /// One request, the response of the server to it, and what the client and the server must see.
    struct Step: Decodable {
        let request_method: String?
        let request_headers: [Field]?
        let request_body: String?
        let query_arg: String?
        let filename: String?
        let pause_after: Bool?
        /// The mode of a cache, as a browser is given it.
        let cache: String?
        let disconnect: Bool?
        let magic_locations: Bool?
        let magic_ims: Bool?
        let rfc850date: [String]?
        let response_status: Status?
        let response_headers: [Field]?
        let response_body: String?
        let check_body: Bool?
        let expected_type: String?
        let expected_method: String?
        let expected_status: Int?
        let expected_request_headers: [Field]?
        let expected_request_headers_missing: [Field]?
        let expected_response_headers: [Field]?
        let expected_response_headers_missing: [Field]?
        let expected_response_text: String?

        var isValidated: Bool { expected_type?.hasSuffix("validated") == true }
    }

    /// A status, beside which there is a reason.
    struct Status: Decodable {
        let code: Int

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            code = try list.decode(Int.self)
        }
    }

    /// A header: its name alone, with a value, or with a comparison and what is compared.
    struct Field: Decodable {
        enum Value {
            case text(String)
            /// Seconds from now for a date, else a number.
            case number(Int)
        }

        let name: String
        private(set) var values: [Value] = []
        /// Whether the client must see the header with which the server has sent it.
        private(set) var isChecked = true

        init(from decoder: any Decoder) throws {
            if let name = try? decoder.singleValueContainer().decode(String.self) {
                self.name = name
                return
            }
            var list = try decoder.unkeyedContainer()
            name = try list.decode(String.self)
            while !list.isAtEnd {
                if let text = try? list.decode(String.self) {
                    values.append(.text(text))
                } else if let number = try? list.decode(Int.self) {
                    values.append(.number(number))
                } else {
                    isChecked = try list.decode(Bool.self)
                }
            }
        }
    }

    /// The file with the export, if there is one.
    static let file = ProcessInfo.processInfo.environment["CATENA_CACHE_TESTS"]

    let cases: [Case]

    init(from decoder: any Decoder) throws {
        cases = try decoder.singleValueContainer().decode([Group].self).flatMap(\.tests)
    }
}
