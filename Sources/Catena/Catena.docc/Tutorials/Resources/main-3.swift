import Catena
import RoomsKit

API.configure(.forum) { forum in
    forum.host = "http://127.0.0.1:8000"
    forum.timeout = .seconds(5)
}

do {
    for room in try await Forum().rooms(page: 1) { print(room.id, room.name) }
} catch let error as APIError {
    print("\(error.kind), code \(error.code): \(error.message)")
}
