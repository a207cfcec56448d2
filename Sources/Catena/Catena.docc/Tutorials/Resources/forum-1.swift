import Catena

extension Tag {
    public static let forum: Tag = "forum"
}
