import Catena
import Foundation

let file = FileManager.default.temporaryDirectory.appending(path: "catena-waiting-\(UUID().uuidString)")
let request = Client(transport: Failing()).absoluteURL("https://forum.example.com/rooms")

/// The words that are awaited.
enum Word: CaseIterable, Sendable {
    case void, data, string, response, download, value, typed
}

/// A server that always fails.
struct Failing: Transport {
    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        TransportResponse(status: 500, headers: ["Content-Type": "application/json"], body: TransportBody(Data("1".utf8)))
    }
}

func inFunction(_ word: Word) async throws {
    switch word {
    case .void: try await request.void()
    case .data: try await request.data()
    case .string: try await request.string()
    case .response: try await request.response(as: Int.self)
    case .download: try await request.download(to: file)
    case .value: try await request.value()
    case .typed: try await request.value(as: Int.self)
    }
}

@MainActor func inMainFunction(_ word: Word) async throws {
    switch word {
    case .void: try await request.void()
    case .data: try await request.data()
    case .string: try await request.string()
    case .response: try await request.response(as: Int.self)
    case .download: try await request.download(to: file)
    case .value: try await request.value()
    case .typed: try await request.value(as: Int.self)
    }
}

actor Loader {
    func load(_ word: Word) async throws {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    }
}

@MainActor final class Screen {
    func load(_ word: Word) async throws {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    }
}

struct Made {
    init(_ word: Word) async throws {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    }
}

struct Reading {
    let word: Word

    var done: Void {
        get async throws {
            switch word {
            case .void: try await request.void()
            case .data: try await request.data()
            case .string: try await request.string()
            case .response: try await request.response(as: Int.self)
            case .download: try await request.download(to: file)
            case .value: try await request.value()
            case .typed: try await request.value(as: Int.self)
            }
        }
    }
}

let inClosure: @Sendable (Word) async throws -> Void = { word in
    switch word {
    case .void: try await request.void()
    case .data: try await request.data()
    case .string: try await request.string()
    case .response: try await request.response(as: Int.self)
    case .download: try await request.download(to: file)
    case .value: try await request.value()
    case .typed: try await request.value(as: Int.self)
    }
}

func inLocalFunction(_ word: Word) async throws {
    func local() async throws {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    }
    try await local()
}

func inTask(_ word: Word) async throws {
    try await Task {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    }.value
}

func inDetachedTask(_ word: Word) async throws {
    try await Task.detached {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    }.value
}

func inMainTask(_ word: Word) async throws {
    try await Task { @MainActor in
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    }.value
}

func inGroup(_ word: Word) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            switch word {
            case .void: try await request.void()
            case .data: try await request.data()
            case .string: try await request.string()
            case .response: try await request.response(as: Int.self)
            case .download: try await request.download(to: file)
            case .value: try await request.value()
            case .typed: try await request.value(as: Int.self)
            }
        }
        try await group.waitForAll()
    }
}

func inPromise(_ word: Word) async throws {
    try await Promise {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    }.value
}

func inLoop(_ word: Word) async throws {
    for _ in 0..<2 {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    }
}

func inDo(_ word: Word) async throws {
    do {
        switch word {
        case .void: try await request.void()
        case .data: try await request.data()
        case .string: try await request.string()
        case .response: try await request.response(as: Int.self)
        case .download: try await request.download(to: file)
        case .value: try await request.value()
        case .typed: try await request.value(as: Int.self)
        }
    } catch {
        throw error
    }
}
