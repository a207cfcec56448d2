import Foundation

/// Calls in the form that browsers and other tools read: HAR 1.2.
package struct HTTPArchive: Codable, Sendable, Equatable {
    var log: Log

    struct Log: Codable, Sendable, Equatable {
        var version = "1.2"
        var creator: Creator
        var entries: [Entry]
        var comment: String?
    }

    struct Creator: Codable, Sendable, Equatable {
        var name: String
        var version: String
    }

    package struct Entry: Codable, Sendable, Equatable {
        var startedDateTime: String
        /// Milliseconds, as all times here; what is unknown is -1.
        var time: Double
        var request: Request
        var response: Response
        var cache = Cache()
        var timings: Timings
        var comment: String?
    }

    struct Cache: Codable, Sendable, Equatable {}

    struct Request: Codable, Sendable, Equatable {
        var method: String
        var url: String
        var httpVersion = "HTTP/1.1"
        var cookies: [Pair] = []
        var headers: [Pair]
        var queryString: [Pair]
        var postData: PostData?
        var headersSize = -1
        var bodySize: Int
    }

    struct Response: Codable, Sendable, Equatable {
        /// 0 if there was no answer.
        var status: Int
        var statusText = ""
        var httpVersion = "HTTP/1.1"
        var cookies: [Pair] = []
        var headers: [Pair]
        var content: Content
        var redirectURL: String
        var headersSize = -1
        var bodySize: Int
    }

    struct Pair: Codable, Sendable, Equatable {
        var name: String
        var value: String
    }

    struct PostData: Codable, Sendable, Equatable {
        var mimeType: String
        var params: [Pair] = []
        var text: String
        /// `base64` if the text is no text; the format has this for answers alone, so that the name is one of our own (HAR 1.2 §1).
        var encoding: String?
        var comment: String?

        private enum CodingKeys: String, CodingKey {
            case mimeType, params, text, comment
            case encoding = "_encoding"
        }
    }

    struct Content: Codable, Sendable, Equatable {
        var size: Int
        var mimeType: String
        var text: String?
        var encoding: String?
        var comment: String?
    }

    struct Timings: Codable, Sendable, Equatable {
        var blocked: Double
        var dns: Double
        var connect: Double
        var ssl: Double
        var send: Double
        var wait: Double
        var receive: Double
    }
}
