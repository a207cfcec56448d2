import Catena
import RoomsKit

API.configure(.forum) { forum in
    forum.host = "http://127.0.0.1:8000"
    forum.timeout = .seconds(5)
}
