import Catena
import Foundation
import RoomsKit

API.configure(.forum) { forum in
    Forum.configure(&forum)
    forum.authentication = .bearer { ProcessInfo.processInfo.environment["FORUM_TOKEN"] }
}

do {
    for room in try await Forum().rooms(page: 1) { print(room.id, room.name) }
} catch let error as APIError {
    print("\(error.kind), code \(error.code): \(error.message)")
}
