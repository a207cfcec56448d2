import Catena
import RoomsKit

API.configure(.forum, Forum.configure)

do {
    for room in try await Forum().rooms(page: 1) { print(room.id, room.name) }
} catch let error as APIError {
    print("\(error.kind), code \(error.code): \(error.message)")
}
