pub struct Model;
