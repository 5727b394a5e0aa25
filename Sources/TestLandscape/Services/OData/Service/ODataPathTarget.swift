/// The target of a path.
enum ODataPathTarget {
    case collection(ODataModel.EntitySet, [ODataEntity], of: ODataOwner?)
    case entity(ODataModel.EntitySet, ODataEntity)
    /// A navigation without an entity.
    case missing(ODataModel.EntitySet)
    case property(ODataModel.EntitySet, ODataEntity, name: String, ODataType, ODataValue)
    case raw(ODataType, ODataValue)
    case media(ODataModel.EntitySet, ODataEntity)
    case count(ODataModel.EntitySet, [ODataEntity])
    case links(ODataOwner, [ODataEntity])
    case operation(ODataModel.Operation, on: (ODataModel.EntitySet, ODataEntity)?, arguments: String?)
}
