// Awaits each word against a server that fails, in each kind of place in which a statement can stand. Exits with 0 if every word threw.
//
// The compiler chooses between the forms of a name by the place of the call, so the calls stand in the places themselves, one after the other.
import Catena
import Foundation

var threw = 0
var failures: [String] = []

let places: [(name: String, run: @Sendable (Word) async throws -> Void)] = [
    ("a function", inFunction),
    ("a function of the main actor", inMainFunction),
    ("a method of an actor", { word in try await Loader().load(word) }),
    ("a method of a class of the main actor", { word in try await Screen().load(word) }),
    ("an initializer", { word in _ = try await Made(word) }),
    ("a property", { word in try await Reading(word: word).done }),
    ("a closure", inClosure),
    ("a local function", inLocalFunction),
    ("a task", inTask),
    ("a detached task", inDetachedTask),
    ("a task of the main actor", inMainTask),
    ("a task group", inGroup),
    ("a promise", inPromise),
    ("a loop", inLoop),
    ("a do with a catch", inDo),
]
for place in places {
    for word in Word.allCases {
        do {
            try await place.run(word)
            failures.append("\(word) in \(place.name)")
        } catch let error as APIError where error.status == 500 {
            threw += 1
        }
    }
}
for word in Word.allCases {
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
        failures.append("\(word) at the top level")
    } catch let error as APIError where error.status == 500 {
        threw += 1
    }
}
print("\(threw) of \(Word.allCases.count * (places.count + 1)) words threw")
for failure in failures { print("did not throw: \(failure)") }
exit(failures.isEmpty ? 0 : 1)
