/// The entity at the start of a navigation.
struct ODataOwner {
    let set: ODataModel.EntitySet
    let entity: ODataEntity
    let navigation: ODataModel.Navigation
}
